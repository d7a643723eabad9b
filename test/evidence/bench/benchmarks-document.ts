/** Reads and writes docs/evidence/benchmarks.md by sections: each benchmark replaces its own section only. */
import { readFileSync, writeFileSync } from 'node:fs';

export const BENCHMARKS = 'docs/evidence/benchmarks.md';

/** Maps each title to the text of its section. */
export function sectionsIn(text: string): Map<string, string> {
  const [, ...parts] = `\n${text}`.split('\n## ');
  return new Map(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end).trim()];
    }),
  );
}

export function writeSection(title: string, text: string, file = BENCHMARKS): void {
  const document = readFileSync(file, 'utf8');
  const head = document.split('\n## ')[0]?.trim() ?? '';
  const sections = sectionsIn(document).set(title, text);
  writeFileSync(file, `${[head, ...[...sections].map(([name, body]) => `## ${name}\n\n${body}`)].join('\n\n')}\n`);
}
