/** Runs cfn-lint and checkov over templates. Neither may pass by not having run: each must also report what is known to be there. */
import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import type { Any } from '../../support/any.ts';
import { type Finding, withoutHash } from './acknowledgements.ts';

/** The template of a stage, as a file in a folder of that name. */
export type Scanned = { stage: string; file: string };

type Ended = { code: number; stdout: string; stderr: string };

/** The first line of an installed program names the folder in which it was installed at first, so `python` runs it. */
const run = (python: string, program: string, args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      python,
      [join(dirname(python), program), ...args],
      { maxBuffer: 256 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
  });

/** Throws unless the scanner ended with a report, which it prints as JSON. */
function reportIn(scanner: string, { code, stdout, stderr }: Ended, hasReport: (code: number) => boolean): Any {
  try {
    if (hasReport(code)) return JSON.parse(stdout);
  } catch {
    // Reported below.
  }
  throw new Error(`${scanner} did not run (exit code ${code}): ${`${stderr}${stdout}`.trim().slice(0, 600)}`);
}

const stageOf = (file: string): string => basename(dirname(file));

/** Its exit code adds 2 for errors, 4 for warnings and 8 for informations. `faulty` is a template in which it must find an error. */
export async function lint(python: string, templates: readonly Scanned[], faulty: Scanned): Promise<Finding[]> {
  const files = [...templates, faulty].map(({ file }) => file);
  const ended = await run(python, 'cfn-lint', ['--format', 'json', '--', ...files]);
  const matches: Any[] = reportIn('cfn-lint', ended, (code) => code >= 0 && code < 16 && code % 2 === 0);
  const findings = matches.map(
    ({ Filename, Rule, Location: { Path = [] }, Message }): Finding => ({
      stage: stageOf(Filename),
      check: Rule.Id,
      resource: Path?.[0] === 'Resources' ? withoutHash(String(Path[1])) : 'template',
      says: Message,
    }),
  );
  if (!findings.some(({ stage, check }) => stage === faulty.stage && check.startsWith('E')))
    throw new Error('cfn-lint did not find the error in the faulty template: it cannot be relied on.');
  return findings.filter(({ stage }) => stage !== faulty.stage);
}

/** Ends with 1 if a check failed. */
export async function checkov(python: string, templates: readonly Scanned[]): Promise<Finding[]> {
  const files = templates.flatMap(({ file }) => ['--file', file]);
  const options = ['--framework', 'cloudformation', '--compact', '--skip-download', '--output', 'json'];
  const ended = await run(python, 'checkov', [...options, ...files]);
  const { results, summary }: Any = reportIn('checkov', ended, (code) => code === 0 || code === 1);
  const passed = (stage: string) =>
    (results?.passed_checks ?? []).some((each: Any) => stageOf(each.file_path) === stage);
  const unseen = templates.filter(({ stage }) => !passed(stage)).map(({ stage }) => stage);
  const unread = summary?.parsing_errors ?? 0;
  if (unseen.length > 0 || unread > 0)
    throw new Error(`checkov passed no check of ${unseen.join(', ')} and could not read ${unread} files.`);
  return results.failed_checks.map(
    ({ file_path, check_id, resource, check_name }: Any): Finding => ({
      stage: stageOf(file_path),
      check: check_id,
      resource: withoutHash(resource.split('.').at(-1)),
      says: check_name,
    }),
  );
}
