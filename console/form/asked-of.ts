/** What a form asks for, in the words of the form, to be shown with the task that comes of it. */
import { fileNames } from '../files/file-names.ts';
import { named } from '../format.ts';
import { type FieldSpec, linesIn, type Values, wordsIn } from './field-spec.ts';

export type Fact = [name: string, text: string];
/** Without a title it was asked elsewhere, and only something about it was said here. */
export type AskedHere = { title: string; facts: Fact[] };
export type TitleOf = (values: Values) => string;

/** Labels, deliveries and priority are told by the task itself. */
export function askedOf(fields: readonly FieldSpec[], values: Values, titleOf: TitleOf): AskedHere {
  const facts = fields
    .filter(({ path, when }) => path.startsWith('input.') && (when?.(values) ?? true))
    .map((field): Fact => [field.label, textOf(field, values[field.path] ?? '')])
    .filter(([, text]) => text !== '');
  return { title: titleOf(values), facts };
}

function textOf({ kind, usual, when, suggestions = [] }: FieldSpec, value: string): string {
  // What is asked for only in some cases counts there, chosen or not.
  if (kind === 'choice') return named(value || ((when && usual) ?? ''));
  if (kind === 'flag') return value === 'true' ? 'yes' : '';
  if (kind === 'words')
    return wordsIn(value)
      .map((word) => (suggestions.includes(word) ? named(word) : word))
      .join(', ');
  if (kind === 'files')
    return linesIn(value)
      .map((id) => fileNames.get(id) ?? id)
      .join('\n');
  return value.trim();
}
