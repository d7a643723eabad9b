/** Builds the bytes of an email for one recipient. Equal input gives equal bytes. */
import { createHash } from 'node:crypto';
import { type Email, type EmailFormat, type Envelope, oneLine } from './email.ts';
import { emailHtml } from './html.ts';
import { emailMarkdown, emailText } from './text.ts';

const MAX_SUBJECT = 150;
const MAX_NAME = 80;

export async function composeEmail(email: Email, envelope: Envelope, format: EmailFormat): Promise<Uint8Array> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { from, to, messageId, at, unsubscribeAddress } = envelope;
  const composer = new MailComposer({
    from: { name: headerLine(from.name, MAX_NAME), address: from.address },
    to: { name: '', address: to },
    subject: headerLine(email.subject, MAX_SUBJECT),
    messageId,
    date: new Date(at),
    headers: {
      'List-Unsubscribe': { prepared: true, value: `<${unsubscribeAddress}>` },
      'List-Unsubscribe-Post': { prepared: true, value: 'List-Unsubscribe=One-Click' },
      'Auto-Submitted': 'auto-generated',
      // SES replaces the Message-ID, so this header keeps the original one.
      'X-Errand-Mail': messageId.replaceAll(/[<>]/g, ''),
    },
    text: format === 'markdown' ? emailMarkdown(email, envelope) : emailText(email, envelope),
    ...(format === 'text' ? {} : htmlOf(email, envelope)),
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 24),
    // Content of an email must never read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: '\r\n',
  });
  return composer.compile().build();
}

/** Breaks up text that looks like an encoded word (RFC 2047), as mail clients would decode it. */
const headerLine = (text: string, max: number): string => oneLine(text, max).replaceAll('=?', '= ?');

const htmlOf = (email: Email, envelope: Envelope) => ({
  html: emailHtml(email, envelope),
  attachments: email.charts.flatMap(({ picture }, at) =>
    picture
      ? [
          {
            cid: picture.cid,
            filename: `chart-${at + 1}.png`,
            content: Buffer.from(picture.png, 'base64'),
            contentType: 'image/png',
            contentDisposition: 'inline',
          },
        ]
      : [],
  ),
});
