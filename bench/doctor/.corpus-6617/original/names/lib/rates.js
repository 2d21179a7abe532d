export const rates = { DE: 0.19, FR: 0.2 }
