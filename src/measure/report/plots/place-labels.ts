// Finds room for the labels of points in a plot whose width is not known yet.

import { markup, type Markup } from '../markup/markup.js'

export interface LabelledPoint {
  /** Percent of the width. */
  x: number
  /** Pixels from the top. */
  y: number
  text: string
  /** Radius of what is drawn at the point, in pixels. */
  radius: number
}

export interface PlacedLabel {
  x: number
  y: number
  dx: number
  anchor: 'start' | 'middle' | 'end'
  text: string
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

/** The plot is drawn between these widths, in pixels: a label must be free of others at all of them. */
const widths = [200, 260, 340, 460, 640, 900]
const digit = 7

/** The labels of these points, as far as there is room for them. */
export function drawLabels(points: LabelledPoint[], height: number): Markup[] {
  return placeLabels(points, height).map(
    ({ x, y, dx, anchor, text }) =>
      markup`<text class="size" x="${x}%" dx="${dx}" y="${y}" text-anchor="${anchor}">${text}</text>`,
  )
}

/** For each point the first free place of right, left, above and below; a label without one is left out. */
export function placeLabels(points: LabelledPoint[], height: number): PlacedLabel[] {
  const marks = points.map((point) => widths.map((width) => markBox(point, width)))
  const placed: { label: PlacedLabel; boxes: Box[] }[] = []
  points.forEach((point, index) => {
    const free = candidates(point)
      .filter(({ y }) => y > 10 && y < height)
      .map((label) => ({ label, boxes: widths.map((width) => labelBox(label, width)) }))
      .find(({ boxes }) =>
        boxes.every((box, at) => {
          const others = marks.filter((_, other) => other !== index).map((mark) => mark[at])
          const labels = placed.map((one) => one.boxes[at])
          return (
            box.left > -4 && box.right < (widths[at] ?? 0) + 8 && ![...others, ...labels].some(overlaps(box))
          )
        }),
      )
    if (free && point.text !== '') placed.push(free)
  })
  return placed.map(({ label }) => label)
}

function candidates({ x, y, text, radius }: LabelledPoint): PlacedLabel[] {
  return [
    { x, text, y: y + 4, dx: radius + 3, anchor: 'start' },
    { x, text, y: y + 4, dx: -radius - 3, anchor: 'end' },
    { x, text, y: y - radius - 3, dx: 0, anchor: 'middle' },
    { x, text, y: y + radius + 12, dx: 0, anchor: 'middle' },
  ]
}

function markBox({ x, y, radius }: LabelledPoint, width: number): Box {
  const centre = (x / 100) * width
  return {
    left: centre - radius,
    right: centre + radius,
    top: y - radius,
    bottom: y + radius,
  }
}

function labelBox({ x, y, dx, anchor, text }: PlacedLabel, width: number): Box {
  const length = text.length * digit
  const from = (x / 100) * width + dx
  const left = anchor === 'start' ? from : anchor === 'end' ? from - length : from - length / 2
  return { left, right: left + length, top: y - 9, bottom: y + 2 }
}

function overlaps(box: Box): (other: Box | undefined) => boolean {
  return (other) =>
    other !== undefined &&
    box.left < other.right &&
    other.left < box.right &&
    box.top < other.bottom &&
    other.top < box.bottom
}
