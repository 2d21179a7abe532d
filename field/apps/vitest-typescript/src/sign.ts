export enum Sign {
  None = '?',
}
