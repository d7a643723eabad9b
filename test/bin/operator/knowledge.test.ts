import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withAcme } from './errand.ts';

const { json, refuses, run } = withAcme();
const folder = temporaryFolder();
afterAll(() => folder.remove());

function writeText(name: string, text: string): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

const put = (noun: string, file: string) => json([noun, 'put', file, '--org', 'Acme']);
const list = (noun: string) => json([noun, 'list', '--org', 'Acme']);

it('creates a workflow from Markdown, and its next version with the same name', async () => {
  const first = await put('workflow', writeText('a.md', '# Review\n\n## Dates\n\nList them.\n\n## End\n\nSum up.\n'));
  expect(first).toMatchObject({ name: 'Review', version: 1, steps: 2 });
  const second = await put('workflow', writeText('b.md', '# Review\r\n\r\n## Dates\r\n\r\nList them.\r\n'));
  expect(second).toMatchObject({ id: first.id, version: 2, steps: 1 });
  expect(await list('workflow')).toHaveLength(1);
});

it('creates the same workflow from YAML', async () => {
  const yaml = 'name: Review\nsteps:\n  - name: Dates\n    instruction: List them.\n';
  expect(await put('workflow', writeText('a.yaml', yaml))).toMatchObject({ name: 'Review', version: 1, steps: 1 });
  const rules = await put('ruleset', writeText('r.yml', 'name: Words\nrules:\n  - Be brief.\n  - Be kind.\n'));
  expect(rules).toMatchObject({ name: 'Words', characters: '- Be brief.\n- Be kind.'.length });
});

it('keeps the text of a ruleset without its heading, and removes it by name', async () => {
  await put('ruleset', writeText('r.md', '# Words\n\nBe brief.\n'));
  expect(await list('ruleset')).toEqual([expect.objectContaining({ name: 'Words', version: 1, characters: 9 })]);
  await json(['ruleset', 'remove', 'Words', '--org', 'Acme']);
  expect(await list('ruleset')).toEqual([]);
  await refuses(['ruleset', 'remove', 'Words', '--org', 'Acme'], /There is no ruleset "Words"/);
});

it.each([
  ['no-heading.md', 'workflow', '## Dates\n\nList them.\n', /needs a first heading "# Name"/],
  ['no-step.md', 'workflow', '# Review\n\nList them.\n', /needs a heading "## Name" for each step/],
  ['empty-step.md', 'workflow', '# Review\n\n## Dates\n', /instruction of "Dates" must have /],
  ['broken.yaml', 'workflow', 'name: [', /is not valid YAML: [^\n]+ at line 1, column \d+\.\n$/],
  ['bomb.yaml', 'ruleset', 'a: &a [x]\nname: n\nrules: [*a, *a]\n', /is not valid YAML|needs name and rules/],
  ['other.yaml', 'ruleset', 'title: n\n', /needs name and rules/],
  ['empty.md', 'ruleset', '# Words\n\n', /The text of a ruleset has /],
])('reports in one line what is missing in %s', async (name, noun, text, remedy) => {
  await refuses([noun, 'put', writeText(name, text), '--org', 'Acme'], remedy);
});

it('says which file cannot be read', async () => {
  await refuses(
    ['workflow', 'put', join(folder.path, 'none.md'), '--org', 'Acme'],
    /File \S+none\.md does not exist: give/,
  );
  await refuses(['workflow', 'put', folder.path, '--org', 'Acme'], /cannot be read: give a Markdown or YAML file/);
  expect((await run(['workflow', 'put'])).status).toBe(2);
});
