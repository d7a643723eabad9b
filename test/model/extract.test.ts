/** The keyless model: what it answers, what it refuses to make up, and what no document can make it do. */
import { expect, test } from 'vitest';
import { extract } from '../../engines/model/extractive/extract.ts';

const lease = `# Lease agreement

Between Brightwater Estates Ltd. (the "Landlord") and Dr. Maria Lopez (the "Tenant").

## 1. Rent

The monthly rent is EUR 1,250. It is payable in advance by the third working day.

## 4.2 Termination

Either party may end this lease by giving 90 days' written notice. They must send it by registered post.

The Tenant must:

- keep the garden tidy
- report leaks within two days

| Item | Price (EUR) |
|---|---|
| Oak desk | 129.00 |
| Chair | 49.50 |
`;
const attached = [{ source: 'lease.docx', place: 'page 1', text: lease }];

test('answers a paraphrased question with the sentence that answers it, and says where it stands', () => {
  const { text, cited } = extract('How can I cancel the contract?', attached);
  expect(text).toContain(
    "> Either party may end this lease by giving 90 days' written notice. They must send it by registered post. [1]",
  );
  expect(text).toContain('- [1] lease.docx, page 1');
  expect(cited[0]).toMatchObject({ source: 'lease.docx', place: 'page 1' });
});

test('answers a table row together with its header', () => {
  const { text } = extract('How much is the oak desk?', attached);
  expect(text).toContain('> | Item | Price (EUR) |');
  expect(text).toContain('> | Oak desk | 129.00 |');
  expect(text).not.toContain('Chair');
});

test('answers each of several questions under its own heading', () => {
  const { text } = extract('What is the rent? What does section 4.2 say?', attached);
  expect(text).toMatch(/## What is the rent\?\n\n> The monthly rent is EUR 1,250/);
  expect(text).toMatch(/## What does section 4\.2 say\?\n\n[^#]*90 days/);
});

test('says so when nothing is attached, and what it is', () => {
  const { text, cited } = extract('What is the rent?', []);
  expect(text).toContain('Nothing is attached');
  expect(text).toContain('not a large language model');
  expect(cited).toEqual([]);
});

test('says so when nothing attached is relevant, and quotes nothing', () => {
  const { text, cited } = extract('What is the capital of France?', attached);
  expect(text).toContain('do not seem to say anything');
  expect(cited).toEqual([]);
});
