import MailComposer from 'nodemailer/lib/mail-composer';
import { afterEach, expect, it, vi } from 'vitest';
import { composeEmail } from '../../../engines/mail/email.ts';

afterEach(() => vi.restoreAllMocks());

it('forbids the composer to open files and to fetch URLs', async () => {
  const compile = vi.spyOn(MailComposer.prototype, 'compile');
  const letter = {
    subject: 's',
    preheader: 'p',
    kind: 'k',
    heading: 'h',
    date: 'd',
    lead: [],
    charts: [],
    sections: [],
    notes: [],
  };
  const envelope = {
    from: { name: 'Acme', address: 'a@acme.test' },
    to: 'b@acme.test',
    messageId: '<1@acme.test>',
    at: 0,
    reason: 'r',
    unsubscribeAddress: 'https://agents.test/unsubscribe/t',
  };
  await composeEmail(letter, envelope, 'html');
  const [composer] = compile.mock.contexts as unknown as [{ mail: object }];
  expect(composer.mail).toMatchObject({ disableFileAccess: true, disableUrlAccess: true });
});
