/** How wide a text is in the letters of the page, at the size that `chart.css` gives to drawings. */

let pen: CanvasRenderingContext2D | null | undefined;

export function widthOfText(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return text.length * 6;
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
