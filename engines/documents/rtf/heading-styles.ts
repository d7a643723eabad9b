/** Which styles of an RTF are headings: its style sheet names them, `{\s2 ... heading 2;}`. */

export type HeadingStyles = {
  name(piece: string, style: number): void;
  levelOf(style: number): number | undefined;
};

const HEADING = /^\s*heading (\d)/i;

export function headingStyles(): HeadingStyles {
  const levels = new Map<number, number>();
  let pending = '';
  return {
    name(piece, style) {
      pending += piece;
      if (!piece.includes(';')) return;
      const [, level] = HEADING.exec(pending) ?? [];
      if (level !== undefined) levels.set(style, Number(level));
      pending = '';
    },
    levelOf: (style) => levels.get(style),
  };
}
