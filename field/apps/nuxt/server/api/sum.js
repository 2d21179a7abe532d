import { defineEventHandler } from 'h3'
import { answer } from '../sums/answer.js'

export default defineEventHandler(() => answer())
