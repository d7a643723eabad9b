/** Checks commit subjects: `type(scope): verb ...`. `npm run check` applies it to the commits after `BASE`. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The newest commit that is not checked; earlier ones are not checked either. */
const BASE = '23c277e3c664c599ac69cc106242dc03935fb5f0';
const MAX_CHARACTERS = 72;
const SUBJECT = /^(feat|fix|refactor|test|docs|chore|perf|build|ci|style|revert)(\([a-z0-9,-]+\))?: ([a-z][\w-]*)/;
/** "added", "adding" and "adds"; not the verbs that only end like one of them. */
const INFLECTED =
  /^(?!(embed|exceed|feed|need|proceed|seed|shed|speed|bring|ping|string|bias|focus)$).*(ed|ing|[^s]s)$/;

export function subjectFault(subject: string): string | undefined {
  const [, , , verb = ''] = SUBJECT.exec(subject) ?? [];
  if (subject.length > MAX_CHARACTERS) return `${subject.length} characters, at most ${MAX_CHARACTERS}`;
  if (verb === '') return 'write it as type(scope): verb ..., in lower case';
  return INFLECTED.test(verb) ? `begin with an imperative instead of "${verb}"` : undefined;
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' });

/** A shallow clone may not contain the base, nor may a rebased branch: then only the newest commit is checked. */
function range(): string[] {
  try {
    git('merge-base', '--is-ancestor', BASE, 'HEAD');
    return ['--ancestry-path', `${BASE}..HEAD`];
  } catch {
    return ['-1', 'HEAD'];
  }
}

if (import.meta.main && !existsSync('.git')) console.log('commits: skipped, as there is no .git');
else if (import.meta.main) {
  const subjects = git('log', '--no-merges', '--format=%s', ...range()).match(/.+/g) ?? [];
  const wrong = subjects.flatMap((subject) => subjectFault(subject)?.concat(`: ${subject}`) ?? []);
  for (const line of wrong) console.error(line);
  console.log(`commits: ${subjects.length} subjects, ${wrong.length} of another form`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
