// 'threadwise/doctor/register': what users load before their program; the comment below opens its page of the reference.

/**
 * Lets `threadwise doctor --pid` look at a program that runs, without its inspector: over a Unix socket that only its own user can reach.
 * Loaded before the program, it does nothing until doctor comes, and nothing any more when doctor has gone.
 *
 * ```sh
 * node --import threadwise/doctor/register server.js
 * ```
 *
 * Where there can be no socket, as in a folder that cannot be written, the program is warned (`TW_WARN_DOCTOR`) and goes on.
 *
 * @module threadwise/doctor/register
 */

import { registerForDoctor } from './measure/doctor/register/register.js'

registerForDoctor()
