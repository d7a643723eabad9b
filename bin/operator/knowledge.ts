/** `errand workflow` and `errand ruleset`: what an organization's tasks may name besides files. */
import { type Act, withAudit } from '../../shared/accounts/audit.ts';
import {
  type KnowledgeEntry,
  type KnowledgeKind,
  listKnowledge,
  putRuleset,
  putWorkflow,
  type Ruleset,
  removeKnowledge,
  type Workflow,
} from '../../shared/knowledge/knowledge.ts';
import { findOrganization } from './find-organization.ts';
import { rulesetIn, workflowIn } from './knowledge-file.ts';
import { type CommandOutput, type ShownValue, timeOf } from './show.ts';
import type { CommandLine, Noun, Operator } from './verb.ts';

type Book = {
  kind: KnowledgeKind;
  put(operator: Operator, organization: string, file: string): Promise<KnowledgeEntry>;
  size(known: KnowledgeEntry): CommandOutput;
};

const workflows: Book = {
  kind: 'workflow',
  put: (operator, organization, file) => putWorkflow(operator, organization, workflowIn(file)),
  size: (known) => ({ steps: (known as Workflow).steps.length }),
};

const rulesets: Book = {
  kind: 'ruleset',
  put: (operator, organization, file) => putRuleset(operator, organization, rulesetIn(file)),
  size: (known) => ({ characters: (known as Ruleset).characters }),
};

const reportOf = (book: Book, known: KnowledgeEntry): CommandOutput => {
  const { id, name, version, changedAt } = known;
  return { id, name, version, ...book.size(known), changed: timeOf(changedAt) };
};

const actOf = ({ by }: Operator, organization: string, act: string, subject: string): Act => ({
  by,
  act,
  organization,
  subject,
});

async function put(book: Book, operator: Operator, { args: [file = ''], options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(operator.table, options.org ?? '');
  const known = await withAudit(
    operator,
    actOf(operator, id, `${book.kind} put`, file),
    () => book.put(operator, id, file),
    ({ name, version }) => ({ subject: name, detail: `version ${version}` }),
  );
  return { report: reportOf(book, known) };
}

async function list(book: Book, { table }: Operator, { options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, options.org ?? '');
  return { report: (await listKnowledge(table, book.kind, id)).map(({ value }) => reportOf(book, value)) };
}

async function remove(book: Book, operator: Operator, { args: [of = ''], options }: CommandLine): Promise<ShownValue> {
  const { id: organization } = await findOrganization(operator.table, options.org ?? '');
  const act = actOf(operator, organization, `${book.kind} remove`, of);
  const { id, name } = await withAudit(operator, act, () =>
    removeKnowledge(operator.table, book.kind, { organization, of }),
  );
  return { report: { id, name, removed: true } };
}

const nounOf = (book: Book): Noun => ({
  put: {
    usage: 'put FILE --org ORG',
    about: `makes a ${book.kind} from Markdown or YAML, or the next version of the one with that name`,
    args: [1, 1],
    needs: ['org'],
    run: (operator, line) => put(book, operator, line),
  },
  list: {
    usage: 'list --org ORG',
    about: `lists the ${book.kind}s with their ids`,
    args: [0, 0],
    needs: ['org'],
    run: (operator, line) => list(book, operator, line),
  },
  remove: {
    usage: `remove ${book.kind.toUpperCase()} --org ORG`,
    about: `removes a ${book.kind}, by id or name`,
    args: [1, 1],
    needs: ['org'],
    run: (operator, line) => remove(book, operator, line),
  },
});

export const workflow = nounOf(workflows);
export const ruleset = nounOf(rulesets);
