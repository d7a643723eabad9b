/** The kinds of an organization's rows, and which of them go with it into an export. */
import { Problem } from '../core/problem.ts';
import type { Key } from '../ports.ts';
import KINDS from './row-kinds.json' with { type: 'json' };

/** `partition` and `row` are patterns: `ORG` stands for the organization's id, `*` for any id. */
export type RowKind = {
  partition: string;
  row: string;
  /** Why rows of this kind are not exported. */
  leftOut?: string;
  /** The value is stored in pieces, and exported whole. */
  long?: boolean;
  counter?: boolean;
  /** The product changes such rows: with these fields equal, two are the same row at different times. */
  identity?: string[];
};

export const ROW_KINDS: readonly RowKind[] = KINDS;

const kinds = new Map(ROW_KINDS.map((kind) => [`${kind.partition} ${kind.row}`, kind]));

/** Throws for a kind that nobody decided about, so that an export never leaves it out in silence. */
export function rowKindOf(organization: string, key: Key, messageOf = unknownKind): RowKind {
  const partition = partitionPattern(organization, key.pk);
  const [row = ''] = key.sk.split('#');
  const kind = kinds.get(`${partition} ${row}`) ?? kinds.get(`${partition} *`);
  if (kind) return kind;
  throw new Problem('invalid', messageOf(`"${partition} ${row.slice(0, 40)}"`));
}

/** A piece of a long value: the name of the value, and the piece's number. */
export function pieceIn(sk: string): { name: string; number: number } {
  const [, name = sk, digits = '0'] = /^(.+)#(\d\d)$/.exec(sk) ?? [];
  return { name, number: Number(digits) };
}

const unknownKind = (kind: string): string => `There are no rows of the kind ${kind} in an export.`;

function partitionPattern(organization: string, pk: string): string {
  const prefix = `O#${organization}`;
  if (pk === prefix) return 'O#ORG';
  const [start, path] = pk.startsWith(`${prefix}#`) ? ['O#ORG#', pk.slice(prefix.length + 1)] : ['', pk];
  const end = path.indexOf('#');
  return start + (end < 0 ? path : `${path.slice(0, end)}#*`);
}
