/** The last stage of a preview: the composed e-mail as files and results, instead of an e-mail to each recipient. */
import { type Email, previewParts } from '../../engines/mail/email.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import { recipientMark } from '../../shared/mail/recipient.ts';
import { suppressedAmong } from '../../shared/mail/suppressions.ts';
import type { Stage } from '../../shared/tasks/agent.ts';
import { readStoredJson, storeResult, type WrittenFile } from '../checkpoints.ts';
import { checkpoint, type NotificationCheckpoint } from './notification-report.ts';
import type { NotificationSetting } from './ports.ts';
import { isHeldBack } from './state.ts';
import { mailReason } from './wording.ts';

/** The file has all of a longer text. */
const MAX_TEXT = 20_000;

export const previewStage = ({ ports, plan }: NotificationSetting): Stage => ({
  name: 'reporting',
  async run({ address, run }, carried) {
    const { known: state } = carried as NotificationCheckpoint;
    const letter = await readStoredJson<Email>(ports, state.letterAt ?? '');
    const { name = '' } = (await organizationById(ports.table, address.organization)) ?? {};
    const { html, text } = previewParts(letter, mailReason(name), plan.format);
    const htmlFile = html === undefined ? [] : [fileOf('mail.html', 'text/html; charset=utf-8', html)];
    const marks = plan.recipients.map((recipient) => recipientMark(address.organization, recipient));
    const suppressed = await suppressedAmong(ports.table, address.organization, marks);
    const { report } = checkpoint({
      plan,
      state: { ...state, recipients: [] },
      run,
      stages: ['gathering', 'composing', 'reporting'],
    });
    if (!report) throw new Error('A checkpoint has a report.');
    const { results, files: _, ...reported } = report;
    const preview = {
      subject: letter.subject,
      text: shortened(text),
      html_file: htmlFile[0]?.name ?? null,
      would_be_sent: !isHeldBack(state),
      would_go_to: suppressed.filter((suppression) => suppression === undefined).length,
    };
    const previewResults = { ...results, preview };
    const written = [...htmlFile, fileOf('mail.txt', 'text/plain; charset=utf-8', text)];
    return storeResult(ports, address, {
      report: reported,
      results: previewResults,
      shortResults: previewResults,
      written,
    });
  },
});

const fileOf = (name: string, contentType: string, text: string): WrittenFile => ({
  name,
  contentType,
  bytes: Buffer.from(text),
});

const shortened = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;
