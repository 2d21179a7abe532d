// Whether there is a process of this number: also one of another user, and one that has ended and that its parent has not collected yet.

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
