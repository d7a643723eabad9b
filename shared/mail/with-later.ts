/** Adds to the results of a notification what was heard of its mails since they were sent. */
import type { Later } from './run-mails.ts';

type Shown = Record<string, unknown>;

/** Of one run, or of several under `runs`. A mail is known by its Message-ID, which names the run and the recipient. */
export function withLater(results: Shown, heard: ReadonlyMap<string, Later>): Shown {
  if (heard.size === 0) return results;
  const { recipients, runs } = results;
  return {
    ...results,
    ...(Array.isArray(recipients) ? { recipients: recipients.map((one: Shown) => changed(one, heard)) } : {}),
    ...(Array.isArray(runs) ? { runs: runs.map((run: Shown) => changedRun(run, heard)) } : {}),
  };
}

/** A run's own results may lie inside of it. */
function changedRun(run: Shown, heard: ReadonlyMap<string, Later>): Shown {
  const { results } = run;
  const inner = typeof results === 'object' && results !== null ? { results: withLater(results as Shown, heard) } : {};
  return { ...withLater(run, heard), ...inner };
}

const MAIL = /^<[^.]+\.([\w-]+)\.([\w-]+)@/;

function changed(recipient: Shown, heard: ReadonlyMap<string, Later>): Shown {
  const [, run, mark] = MAIL.exec(String(recipient.message_id)) ?? [];
  const later = heard.get(`${run}#${mark}`);
  if (!later) return recipient;
  const { status, at, reason } = later;
  return { ...recipient, status, reason, sent_at: recipient.at, at: new Date(at).toISOString() };
}
