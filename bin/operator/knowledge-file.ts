/** Reads a workflow or a ruleset from a file, Markdown or YAML, as docs/workflows-and-rulesets.md describes it. */
import { extname } from 'node:path';
import * as v from 'valibot';
import { Problem } from '../../shared/core/problem.ts';
import type { WorkflowStep } from '../../shared/knowledge/knowledge.ts';
import { textIn, yamlIn } from './yaml-file.ts';

const HEADING = /^# +(.+)$/m;
const STEP = /^## +(.+)$/gm;

const workflowYaml = v.object({
  name: v.string(),
  steps: v.array(v.object({ name: v.string(), instruction: v.string() })),
});
const rulesetYaml = v.object({ name: v.string(), rules: v.union([v.string(), v.array(v.string())]) });

export function workflowIn(file: string): { name: string; steps: WorkflowStep[] } {
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

export function rulesetIn(file: string): { name: string; text: string } {
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
