/** Writes what the console takes from the contracts: schemas of bodies, values of enumerations, stages. */
import { STAGES } from '../../shared/agents/agent-input.ts';
import { RULE_NAMES } from '../../shared/agents/rule-names.ts';

type Schema = Record<string, unknown>;
type Document = { components: { schemas: Record<string, Schema> } };

const schemaOf = ({ components }: Document, name: string): Schema => {
  const schema = components.schemas[name];
  if (!schema) throw new Error(`The contract has no ${name}.`);
  return withoutTexts(schema) as Schema;
};

/** Forms have their own labels, so the descriptions stay out of the console's bundle. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, entry]) => key !== 'description' || typeof entry !== 'string');
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutTexts(entry)]));
}

function wordsOf(document: Document, name: string, property: string): unknown {
  const { properties } = schemaOf(document, name) as { properties?: Record<string, { enum?: unknown }> };
  const words = properties?.[property]?.enum;
  if (!words) throw new Error(`${name}.${property} has no closed list of words.`);
  return words;
}

/** A task has one of three shapes; each lists its own statuses. */
const statusesOf = (files: Document): unknown[] =>
  ['OpenTask', 'SucceededTask', 'FailedTask'].flatMap((name) => {
    const { properties } = schemaOf(files, name) as { properties?: { status?: { enum?: unknown[]; const?: unknown } } };
    return properties?.status?.enum ?? [properties?.status?.const];
  });

/** On one line, since only a program reads it; people read the contract. */
const constant = (name: string, type: string, value: unknown): string =>
  `export const ${name}: ${type} = ${JSON.stringify(value)};\n`;
const head = (about: string): string => `/** ${about} Written by \`npm run contracts\`. */\n`;
const SCHEMA = "import type { JsonSchema } from './validate.ts';\n";

/** Loaded with the forms. */
export const consoleBodies = (files: Document, agents: Document): string =>
  [
    head('What forms know of the contracts.') + SCHEMA,
    constant('RESEARCH', 'JsonSchema', schemaOf(agents, 'ResearchSubmission')),
    constant('PROCESSING', 'JsonSchema', schemaOf(agents, 'ProcessingSubmission')),
    constant('NOTIFICATION', 'JsonSchema', schemaOf(agents, 'NotificationSubmission')),
    constant('CANCEL_WISH', 'JsonSchema', schemaOf(agents, 'CancelWish')),
    constant('NEW_TASK', 'JsonSchema', schemaOf(files, 'NewTask')),
    constant('STAGES', 'Record<string, readonly string[]>', STAGES),
    constant('RULE_NAMES', 'readonly string[]', RULE_NAMES),
  ].join('\n');

/** Loaded with the first page, so it is kept short. */
export const consoleWords = (files: Document, agents: Document): string =>
  [
    head('What the sign-in and the lists know of the contracts.') + SCHEMA,
    constant('CREDENTIALS', 'JsonSchema', schemaOf(agents, 'Credentials')),
    constant('AGENT_STATUSES', 'string[]', wordsOf(agents, 'TaskStatus', 'status')),
    constant('AGENT_TYPES', 'string[]', wordsOf(agents, 'TaskStatus', 'task_type')),
    constant('PROMPT_STATUSES', 'string[]', statusesOf(files)),
  ].join('\n');
