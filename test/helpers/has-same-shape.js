// Whether V8 has given two objects the same hidden class. What it compiled for one it throws away when it meets the other.
import v8 from 'node:v8'

v8.setFlagsFromString('--allow-natives-syntax')

export const hasSameShape = new Function('a', 'b', 'return %HaveSameMap(a, b)')
