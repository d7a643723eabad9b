/** Assigns each reason of an error to a field: errors found here, and errors of the response. */
import type { FieldFault } from '../contract/validate.ts';
import type { FieldSpec } from './field-spec.ts';

/** By the path of the field; errors of no field have the path ''. */
export type Reasons = Record<string, string[]>;

export function reasonsOf(faults: readonly FieldFault[], fields: readonly Pick<FieldSpec, 'path'>[]): Reasons {
  const reasons: Reasons = {};
  for (const { path, reason } of faults) {
    const field = ownerOf(path, fields);
    const text = field === undefined ? `${path} ${reason}`.trim() : entryReason(path.slice(field.length + 1), reason);
    reasons[field ?? ''] = [...(reasons[field ?? ''] ?? []), text];
  }
  return reasons;
}

/** The field itself, a containing one (`documents` for `documents.0.url`), or a contained one (`recipients` for `content`). */
function ownerOf(path: string, fields: readonly Pick<FieldSpec, 'path'>[]): string | undefined {
  const around = fields.filter((field) => path === field.path || path.startsWith(`${field.path}.`));
  const longest = around.sort((a, b) => b.path.length - a.path.length)[0];
  return (longest ?? fields.find((field) => path !== '' && field.path.startsWith(`${path}.`)))?.path;
}

/** `0.url` is the first entry. */
function entryReason(pathInField: string, reason: string): string {
  const [firstPart = '', ...moreParts] = pathInField.split('.');
  if (pathInField === '') return `This ${reason}`;
  if (/^\d+$/.test(firstPart)) return `Entry ${Number(firstPart) + 1} ${reason}`;
  return `${[firstPart, ...moreParts].join('.')} ${reason}`;
}

type Answered = { message: string; details: Record<string, unknown> };

/** The agent API reports every invalid field with a reason; the other API reports one error that starts with its field. */
export function answeredFaults(
  { message, details }: Answered,
  fields: readonly Pick<FieldSpec, 'path'>[],
): FieldFault[] {
  const { reasons, invalid_fields: invalidNames } = details as {
    reasons?: Record<string, unknown>;
    invalid_fields?: unknown;
  };
  if (typeof reasons === 'object' && reasons !== null) {
    return Object.entries(reasons).map(([path, reason]) => ({ path, reason: String(reason) }));
  }
  if (Array.isArray(invalidNames))
    return invalidNames.map((path) => ({ path: String(path), reason: 'is not accepted' }));
  const [firstWord = '', ...otherWords] = message.split(' ');
  const field = fields.find(({ path }) => firstWord === path || firstWord.startsWith(`${path}.`));
  return field ? [{ path: firstWord, reason: otherWords.join(' ') }] : [];
}
