/** Which styles of an RTF are headings: its style sheet names them, `{\s2 ... heading 2;}`. */

export type HeadingStyles = {
  name(piece: string, style: number): void;
  levelOf(style: number): number | undefined;
};

const HEADING = /^\s*heading (\d)/i;

export function headingStyles(): HeadingStyles {
  const levels = new Map<number, number>();
  let held = '';
  return {
    name(piece, style) {
      held += piece;
      if (!piece.includes(';')) return;
      const [, level] = HEADING.exec(held) ?? [];
      if (level !== undefined) levels.set(style, Number(level));
      held = '';
    },
    levelOf: (style) => levels.get(style),
  };
}
