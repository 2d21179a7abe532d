export enum Kind {
  Small = 'small',
  Large = 'large',
}
export const enum Level {
  Low = 1,
  High = 2,
}
export interface Row {
  id: number
  kind: Kind
}
export class Scale {
  constructor(private readonly factor: number) {}
  of(value: number): number {
    return value * this.factor
  }
}
export namespace Units {
  export const perRow = 3
}
