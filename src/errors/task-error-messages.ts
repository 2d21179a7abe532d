// Of the table of all errors: what is raised where tasks run, and where calls are made.

import { didYouMean } from './nearest.js'
import { list, show } from './shown-values.js'

export type Details = Record<string, unknown>

export const taskErrorMessages = {
  TW_ERR_INVALID_OPTION: (d: Details) => `${d.option} must be ${d.expected}, got ${show(d.received)}.`,
  TW_ERR_INVALID_CALL: (d: Details) => `${d.call} needs ${d.expected}, got ${show(d.received)}.`,
  TW_ERR_TASK_NOT_FOUND: (d: Details) =>
    `${d.module} exports no function named ${show(d.task)}${didYouMean(d.task, d.available as string[])}. It exports: ${list(d.available)}.`,
  TW_ERR_NOT_CLONEABLE: (d: Details) =>
    `${d.what} of task ${show(d.task)} cannot be sent to another thread or process: ${d.reason}. ` +
    'Send plain data (no functions, sockets or class instances with private state), or use the inline executor.',
  TW_ERR_NOT_ITERABLE: (d: Details) =>
    `stream() needs a generator function, or one that returns an iterable or async iterable of items; ` +
    `task ${show(d.task)} gave ${show(d.received)}. Call it with run().`,
  TW_ERR_CLASS_NOT_REGISTERED: (d: Details) =>
    `${d.what} of task ${show(d.task)} holds an instance of class ${d.name}, which is not registered ${d.where}. ` +
    'Import the module that calls registerClass() on both sides: in the program that makes the call, and in the task module.',
} as const
