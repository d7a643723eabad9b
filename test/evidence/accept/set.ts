/** The documents of an acceptance, and what is known of them: `labels.json` in their folder, or nothing. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

export type Expected = string | number | boolean | string[] | null;
/** A JSON Schema of one field, with the value that a person read in the document. */
type LabelledField = Record<string, unknown> & { expect: Expected };

/** A document with the fields that are asked of it; without fields it is summarized. */
export type Item = { id: string; path: string; fields: Record<string, LabelledField> };
/** `expect`: texts that a right answer holds. */
export type Chat = { paths: string[]; prompt: string; expect: string[] };
export type Research = { paths: string[]; query: string; expect: string[] };
export type AcceptanceSet = { items: Item[]; chat?: Chat; research?: Research };

type Labels = {
  items: { id: string; file: string; fields: Item['fields'] }[];
  chat?: { files: string[]; prompt: string; expect: string[] };
  research?: { files: string[]; query: string; expect: string[] };
};

const LABELS = 'labels.json';

export function readSet(folder: string): AcceptanceSet {
  const pathOf = (file: string) => resolve(folder, file);
  const labelsFile = join(folder, LABELS);
  if (!existsSync(labelsFile)) return { items: documentsIn(folder).map(unlabelled) };
  const { items, chat, research } = JSON.parse(readFileSync(labelsFile, 'utf8')) as Labels;
  return {
    items: items.map(({ file, ...item }) => ({ ...item, path: pathOf(file) })),
    ...(chat ? { chat: { ...chat, paths: chat.files.map(pathOf) } } : {}),
    ...(research ? { research: { ...research, paths: research.files.map(pathOf) } } : {}),
  };
}

const documentsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

const unlabelled = (path: string): Item => ({ id: basename(path), path, fields: {} });

/** Each document of the set, once. */
export const pathsOf = ({ items, chat, research }: AcceptanceSet): string[] => [
  ...new Set([...items.map(({ path }) => path), ...(chat?.paths ?? []), ...(research?.paths ?? [])]),
];

/** The JSON Schema of the fields, without what is expected of them. */
export const schemaOf = ({ fields }: Item): Record<string, unknown> => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, { expect: _, ...schema }]) => [name, schema])),
});
