// Whether V8 holds a number as a small integer. What it computes from those, or compiles for them, may have to be done anew for a double.
import v8 from 'node:v8'

v8.setFlagsFromString('--allow-natives-syntax')

export const isSmallInteger = new Function('value', 'return %IsSmi(value)')
