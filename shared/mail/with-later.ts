/** Adds to the results of a notification what was heard of its mails since they were sent. */
import type { LaterReport } from './run-mails.ts';

type ShownRun = Record<string, unknown>;

/** Of one run, or of several under `runs`. A mail is known by its Message-ID, which names the run and the recipient. */
export function withLaterReports(results: ShownRun, heard: ReadonlyMap<string, LaterReport>): ShownRun {
  if (heard.size === 0) return results;
  const { recipients, runs } = results;
  return {
    ...results,
    ...(Array.isArray(recipients) ? { recipients: recipients.map((one: ShownRun) => changedReport(one, heard)) } : {}),
    ...(Array.isArray(runs) ? { runs: runs.map((run: ShownRun) => changedRun(run, heard)) } : {}),
  };
}

/** A run's own results may lie inside of it. */
function changedRun(run: ShownRun, heard: ReadonlyMap<string, LaterReport>): ShownRun {
  const { results } = run;
  const inner =
    typeof results === 'object' && results !== null ? { results: withLaterReports(results as ShownRun, heard) } : {};
  return { ...withLaterReports(run, heard), ...inner };
}

const MAIL = /^<[^.]+\.([\w-]+)\.([\w-]+)@/;

function changedReport(recipient: ShownRun, heard: ReadonlyMap<string, LaterReport>): ShownRun {
  const [, run, mark] = MAIL.exec(String(recipient.message_id)) ?? [];
  const later = heard.get(`${run}#${mark}`);
  if (!later) return recipient;
  const { status, at, reason } = later;
  return { ...recipient, status, reason, sent_at: recipient.at, at: new Date(at).toISOString() };
}
