/** The files that commands read: texts, and YAML. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Problem } from '../../shared/core/problem.ts';

export function textIn(file: string, expected: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const fault = isAbsent ? `File ${file} does not exist` : `${file} cannot be read`;
    throw new Problem('badSetting', `${fault}: give ${expected}.`, { cause });
  }
}

export function yamlIn(text: string, file: string): unknown {
  try {
    // Aliases are rejected, because they could expand a small file into a huge one.
    return parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    // Only the first line: after it the parser quotes the file.
    const [fault = ''] = (cause as Error).message.split('\n');
    throw new Problem('invalid', `${file} is not valid YAML: ${fault.replace(/[:.]?$/, '.')}`, { cause });
  }
}
