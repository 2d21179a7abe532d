// Normal noise from a seeded generator (Box and Muller, 1958).
export function noise(random, deviation) {
  return deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
