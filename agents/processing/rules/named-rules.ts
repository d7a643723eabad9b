/** The closed list of named rules, and the names that callers may use for each. */

import { amounts, percentages } from './amounts.ts';
import { addresses, emails, phoneNumbers, urls } from './contacts.ts';
import { dates } from './dates.ts';
import { ibans, invoiceNumbers, vatNumbers } from './identifiers.ts';
import { keyValuePairs, tables } from './layout.ts';
import type { Rule } from './match.ts';
import { parties } from './parties.ts';

export const NAMED_RULES = {
  dates,
  amounts,
  percentages,
  parties,
  addresses,
  emails,
  phone_numbers: phoneNumbers,
  urls,
  ibans,
  vat_numbers: vatNumbers,
  invoice_numbers: invoiceNumbers,
  tables,
  key_value_pairs: keyValuePairs,
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof NAMED_RULES;

export const RULE_NAMES = Object.keys(NAMED_RULES) as RuleName[];

const ALIASES: Record<RuleName, readonly string[]> = {
  dates: ['date'],
  amounts: ['amount', 'money', 'monetary amounts', 'amounts of money', 'prices', 'sums'],
  percentages: ['percentage', 'percents', 'per cents', 'rates in per cent'],
  parties: ['party', 'companies', 'organizations', 'organisations', 'contract parties', 'names of parties'],
  addresses: ['address', 'postal addresses'],
  emails: ['email', 'e mails', 'e mail', 'email addresses', 'e mail addresses'],
  phone_numbers: ['phone number', 'phones', 'phone', 'telephone numbers', 'telephones'],
  urls: ['url', 'links', 'web addresses', 'websites'],
  ibans: ['iban', 'bank accounts', 'account numbers'],
  vat_numbers: ['vat number', 'vat ids', 'vat id', 'tax ids', 'tax numbers'],
  invoice_numbers: ['invoice number', 'invoice no', 'invoice nos', 'invoice ids'],
  tables: ['table'],
  key_value_pairs: ['key value pair', 'key values', 'key value', 'fields', 'form fields'],
};

const BY_WORDS = new Map(
  RULE_NAMES.flatMap((name) =>
    [name.replaceAll('_', ' '), ...ALIASES[name]].map((words): [string, RuleName] => [words, name]),
  ),
);

const OPENING = /^(?:(?:please )?(?:extract|find|list|get|collect) )?(?:all |any |every )?(?:of )?(?:the )?/;

/** Undefined for text that is an instruction to the model. */
export function ruleNamed(text: string): RuleName | undefined {
  const words = text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()
    .replace(/[.:]$/, '');
  return BY_WORDS.get(words) ?? BY_WORDS.get(words.replace(OPENING, ''));
}
