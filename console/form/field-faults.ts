/** Where on a form each reason belongs: what was found here, and what the service answered. */
import type { FieldFault } from '../contract/faults-in.ts';
import type { FieldSpec } from './field-spec.ts';

/** By the path of the field; what fits no field has the path ''. */
export type Reasons = Record<string, string[]>;

export function reasonsOf(faults: readonly FieldFault[], fields: readonly Pick<FieldSpec, 'path'>[]): Reasons {
  const reasons: Reasons = {};
  for (const { path, reason } of faults) {
    const field = ownerOf(path, fields);
    const text = field === undefined ? `${path} ${reason}`.trim() : inField(path.slice(field.length + 1), reason);
    reasons[field ?? ''] = [...(reasons[field ?? ''] ?? []), text];
  }
  return reasons;
}

/** The field itself, one around it (`documents` of `documents.0.url`), or one inside of it (`recipients` of `content`). */
function ownerOf(path: string, fields: readonly Pick<FieldSpec, 'path'>[]): string | undefined {
  const around = fields.filter((field) => path === field.path || path.startsWith(`${field.path}.`));
  const longest = around.sort((a, b) => b.path.length - a.path.length)[0];
  return (longest ?? fields.find((field) => path !== '' && field.path.startsWith(`${path}.`)))?.path;
}

/** `0.url` is the first entry. */
function inField(rest: string, reason: string): string {
  const [first = '', ...more] = rest.split('.');
  if (rest === '') return `This ${reason}`;
  if (/^\d+$/.test(first)) return `Entry ${Number(first) + 1} ${reason}`;
  return `${[first, ...more].join('.')} ${reason}`;
}

type Answered = { message: string; details: Record<string, unknown> };

/** The agents' API tells every field with its reason; the other one tells one fault, its field first. */
export function answeredFaults(
  { message, details }: Answered,
  fields: readonly Pick<FieldSpec, 'path'>[],
): FieldFault[] {
  const { reasons, invalid_fields: named } = details as { reasons?: Record<string, unknown>; invalid_fields?: unknown };
  if (typeof reasons === 'object' && reasons !== null) {
    return Object.entries(reasons).map(([path, reason]) => ({ path, reason: String(reason) }));
  }
  if (Array.isArray(named)) return named.map((path) => ({ path: String(path), reason: 'is not accepted' }));
  const [first = '', ...rest] = message.split(' ');
  const field = fields.find(({ path }) => first === path || first.startsWith(`${path}.`));
  return field ? [{ path: first, reason: rest.join(' ') }] : [];
}
