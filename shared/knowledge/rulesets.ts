/** A ruleset: knowledge that a task must respect. Its text is in rows of its own, stored under the version. */

import { insertLong, readLong } from '../core/long-values.ts';
import { Problem } from '../core/problem.ts';
import type { Clock, Ids, Table } from '../ports.ts';
import { type KnowledgeEntry, knowledgeKey, putKnowledge } from './knowledge.ts';

export type Ruleset = KnowledgeEntry & { characters: number };
export type RulesetReference = { id: string; version: number };

const MAX_CHARACTERS = 1_000_000;

type RulesetPorts = { table: Table; clock: Clock; ids: Ids };

const nameOfText = (version: number): string => `TEXT#${version}`;

export async function putRuleset(
  ports: RulesetPorts,
  organization: string,
  { name, text }: { name: string; text: string },
): Promise<Ruleset> {
  if (text.trim() === '' || text.length > MAX_CHARACTERS) {
    throw new Problem('invalid', `The text of a ruleset has 1 to ${MAX_CHARACTERS} characters.`);
  }
  return putKnowledge<Ruleset>(ports, {
    kind: 'ruleset',
    organization,
    name,
    fields: { characters: text.length },
    writeFirst: (head) => {
      const { pk } = knowledgeKey('ruleset', organization, head.id);
      return insertLong(ports.table, { pk, name: nameOfText(head.version), value: { name: head.name, text } });
    },
  });
}

export function rulesetText(
  table: Table,
  organization: string,
  { id, version }: RulesetReference,
): Promise<{ name: string; text: string } | undefined> {
  return readLong(table, { pk: knowledgeKey('ruleset', organization, id).pk, name: nameOfText(version) });
}
