/** `errand workflow` and `errand ruleset`: the knowledge that tasks of an organization may name. */
import { extname } from 'node:path';
import * as v from 'valibot';
import { type Act, withAudit } from '../../shared/accounts/audit.ts';
import { Problem } from '../../shared/core/problem.ts';
import {
  allKnowledge,
  type KnowledgeEntry,
  type KnowledgeKind,
  removeKnowledge,
} from '../../shared/knowledge/knowledge.ts';
import { putRuleset, type Ruleset } from '../../shared/knowledge/rulesets.ts';
import { putWorkflow, type Workflow, type WorkflowStep } from '../../shared/knowledge/workflows.ts';
import { type CommandLine, type CommandOutput, type Noun, type Operator, type ShownValue, timeOf } from './command.ts';
import { textIn, yamlIn } from './input-file.ts';
import { findOrganization } from './org.ts';

/** Workflows and rulesets are read from Markdown or YAML as docs/guides/workflows-and-rulesets.md describes. */
const HEADING = /^# +(.+)$/m;
const STEP = /^## +(.+)$/gm;

const workflowYaml = v.object({
  name: v.string(),
  steps: v.array(v.object({ name: v.string(), instruction: v.string() })),
});
const rulesetYaml = v.object({ name: v.string(), rules: v.union([v.string(), v.array(v.string())]) });

function workflowIn(file: string): { name: string; steps: WorkflowStep[] } {
  const text = textIn(file, 'a Markdown or YAML file');
  if (isYaml(file)) return parsed(workflowYaml, text, file, 'name and steps, each with name and instruction');
  const sections = [...text.matchAll(STEP)];
  const steps = sections.map((section, at) => ({
    name: (section[1] ?? '').trim(),
    instruction: text.slice(section.index + section[0].length, sections[at + 1]?.index).trim(),
  }));
  if (steps.length === 0) throw unfit(file, 'a heading "## Name" for each step, its instruction below it');
  return { name: nameIn(text, file), steps };
}

function rulesetIn(file: string): { name: string; text: string } {
  const text = textIn(file, 'a Markdown or YAML file');
  if (!isYaml(file)) return { name: nameIn(text, file), text: text.replace(HEADING, '').trim() };
  const { name, rules } = parsed(rulesetYaml, text, file, 'name and rules');
  return { name, text: typeof rules === 'string' ? rules : rules.map((rule) => `- ${rule}`).join('\n') };
}

const isYaml = (file: string): boolean => ['.yaml', '.yml'].includes(extname(file).toLowerCase());

function nameIn(text: string, file: string): string {
  const name = HEADING.exec(text)?.[1]?.trim();
  if (!name) throw unfit(file, 'a first heading "# Name"');
  return name;
}

function parsed<S extends v.GenericSchema>(schema: S, text: string, file: string, needs: string): v.InferOutput<S> {
  const read = v.safeParse(schema, yamlIn(text, file));
  if (read.success) return read.output;
  throw unfit(file, needs);
}

const unfit = (file: string, needs: string) => new Problem('invalid', `${file} needs ${needs}.`);

type Book = {
  kind: KnowledgeKind;
  put(operator: Operator, organization: string, file: string): Promise<KnowledgeEntry>;
  size(entry: KnowledgeEntry): CommandOutput;
};

const workflows: Book = {
  kind: 'workflow',
  put: (operator, organization, file) => putWorkflow(operator, organization, workflowIn(file)),
  size: (entry) => ({ steps: (entry as Workflow).steps.length }),
};

const rulesets: Book = {
  kind: 'ruleset',
  put: (operator, organization, file) => putRuleset(operator, organization, rulesetIn(file)),
  size: (entry) => ({ characters: (entry as Ruleset).characters }),
};

const reportOf = (book: Book, entry: KnowledgeEntry): CommandOutput => {
  const { id, name, version, changedAt } = entry;
  return { id, name, version, ...book.size(entry), changed: timeOf(changedAt) };
};

const actOf = ({ by }: Operator, organization: string, act: string, subject: string): Act => ({
  by,
  act,
  organization,
  subject,
});

async function putEntry(
  book: Book,
  operator: Operator,
  { args: [file = ''], options }: CommandLine,
): Promise<ShownValue> {
  const { id } = await findOrganization(operator.table, options.org ?? '');
  const entry = await withAudit(
    operator,
    actOf(operator, id, `${book.kind} put`, file),
    () => book.put(operator, id, file),
    ({ name, version }) => ({ subject: name, detail: `version ${version}` }),
  );
  return { report: reportOf(book, entry) };
}

async function list(book: Book, { table }: Operator, { options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, options.org ?? '');
  return { report: (await allKnowledge(table, book.kind, id)).map(({ value }) => reportOf(book, value)) };
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
    about: `creates a ${book.kind} from Markdown or YAML, or the next version of the one with that name`,
    args: [1, 1],
    needs: ['org'],
    run: (operator, line) => putEntry(book, operator, line),
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
