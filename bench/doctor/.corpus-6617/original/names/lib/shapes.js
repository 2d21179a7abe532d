export const area = ({ width, height }) => width * height
