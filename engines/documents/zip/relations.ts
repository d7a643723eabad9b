/** Where a part of an Office package points to: `word/document.xml` by way of `word/_rels/document.xml.rels`. */
import { posix } from 'node:path';
import { elementsOf, parseXml } from '../markup/parse-xml.ts';
import type { Zip } from './open-zip.ts';

export type Relation = { id: string; type: string; target: string };

export function relationsOf(zip: Zip, part: string): Relation[] {
  const folder = posix.dirname(part);
  const file = zip.entry(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  if (!file) return [];
  const list = elementsOf(parseXml(file)).flatMap(elementsOf);
  return list.flatMap((relation) => {
    const { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode } = relation.attributes;
    if (mode === 'External') return [];
    const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
    return [{ id, type: type.slice(type.lastIndexOf('/') + 1), target: path }];
  });
}

/** The part that everything else hangs on. */
export function mainPart(zip: Zip, defaultPath: string): string {
  const named = relationsOf(zip, '').find(({ type }) => type === 'officeDocument')?.target;
  return named !== undefined && zip.names.includes(named) ? named : defaultPath;
}
