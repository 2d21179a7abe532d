import { defineEventHandler } from 'h3'
import { answer } from '../sums/answer'

export default defineEventHandler(() => answer())
