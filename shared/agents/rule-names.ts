/** The names of the rules of a processing task, as callers write them. */

/** The rules that list values, with alternative names for each. */
const ALIASES = {
  dates: ['date'],
  amounts: ['amount', 'money', 'monetary amounts', 'amounts of money', 'prices', 'sums'],
  percentages: ['percentage', 'percents', 'per cents', 'rates in per cent'],
  emails: ['email', 'e mails', 'e mail', 'email addresses', 'e mail addresses'],
  phone_numbers: ['phone number', 'phones', 'phone', 'telephone numbers', 'telephones'],
  urls: ['url', 'links', 'web addresses', 'websites'],
  ibans: ['iban', 'bank accounts', 'account numbers'],
  vat_numbers: ['vat number', 'vat ids', 'vat id', 'tax ids', 'tax numbers'],
  invoice_numbers: ['invoice number', 'invoice no', 'invoice nos', 'invoice ids'],
  tables: ['table'],
  key_value_pairs: ['key value pair', 'key values', 'key value', 'fields', 'form fields'],
} as const satisfies Record<string, readonly string[]>;

export type ListName = keyof typeof ALIASES;

/** The rules that list every value of their kind. */
export const RULE_NAMES = Object.keys(ALIASES) as ListName[];

/** The rules that find the single value with this meaning in a document. */
export const LABELLED_NAMES = [
  'total',
  'subtotal',
  'tax',
  'currency',
  'invoice_number',
  'issue_date',
  'due_date',
] as const;
export type LabelledName = (typeof LABELLED_NAMES)[number];

export type RuleName = ListName | LabelledName;

const BY_WORDS = new Map(
  RULE_NAMES.flatMap((name) =>
    [name.replaceAll('_', ' '), ...ALIASES[name]].map((words): [string, ListName] => [words, name]),
  ),
);

const OPENING = /^(?:(?:please )?(?:extract|find|list|get|collect) )?(?:all |any |every )?(?:of )?(?:the )?/;

/**
 * Returns `undefined` for text that is an instruction to the model. A labelled rule has only its exact name, because `total`
 * and `tax` are common words, and `invoice number` is an alternative name of `invoice_numbers`.
 */
export function ruleNamed(text: string): RuleName | undefined {
  const labelled = LABELLED_NAMES.find((name) => name === text);
  if (labelled) return labelled;
  const words = text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()
    .replace(/[.:]$/, '');
  return BY_WORDS.get(words) ?? BY_WORDS.get(words.replace(OPENING, ''));
}
