/** What an operator wrote into a file, read with one line for whatever is wrong with it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Problem } from '../../shared/core/problem.ts';

export function textIn(file: string, wanted: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  } catch (cause) {
    throw new Problem('badSetting', `${file} cannot be read: give ${wanted}.`, { cause });
  }
}

export function yamlIn(text: string, file: string): unknown {
  try {
    // Aliases could make a small file a huge one.
    return parse(text, { maxAliasCount: 0 });
  } catch (cause) {
    throw new Problem('invalid', `${file} is no YAML: ${(cause as Error).message.split('\n')[0]}`, { cause });
  }
}
