/** Reads an operator's YAML or Markdown file, with a one-line error. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Problem } from '../../shared/core/problem.ts';

export function textIn(file: string, wanted: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const fault = isAbsent ? `There is no file ${file}` : `${file} cannot be read`;
    throw new Problem('badSetting', `${fault}: give ${wanted}.`, { cause });
  }
}

export function yamlIn(text: string, file: string): unknown {
  try {
    // Aliases could make a small file a huge one.
    return parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    // Behind its first line, and a colon, the parser shows the place.
    const [fault = ''] = (cause as Error).message.split('\n');
    throw new Problem('invalid', `${file} is not valid YAML: ${fault.replace(/[:.]?$/, '.')}`, { cause });
  }
}
