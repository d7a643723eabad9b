/** Questions about the labelled values of a contract, answered by the sentence that has the value. */
import { describe, expect, it } from 'vitest';
import { findLabelled } from '../../agents/processing/rules/named-rules.ts';
import { extract } from '../../engines/models/extractive/extract.ts';

const answer = (question: string, text: string) => {
  const quoted = extract(question, [{ source: 'contract.pdf', place: 'page 1', text }], { find: findLabelled }).text;
  return quoted.split('**Sources**')[0] ?? '';
};

const MADE =
  'This Supply Agreement is made as of 3 March 2025 by and between Harrow Mills, Inc. (“Harrow”), a Delaware corporation, and Tindale Foods Ltd (“Tindale”).';
const TERM = 'This Agreement shall remain in force for a period of three (3) years from the date first written above.';
const LAW = 'This Agreement is governed by the laws of the State of Oregon.';
const NOTICE = 'Either party may terminate on a notice period of sixty (60) days.';
const PAYMENT =
  'Each party pays its own costs. The parties agree that the rights of a party under this agreement are its own.';
const AGREEMENT = ['Supply Agreement', MADE, PAYMENT, TERM, NOTICE, LAW, PAYMENT.replace('costs', 'fees')].join('\n\n');

describe('a question about a contract', () => {
  it.each([
    ['Who are the parties to this agreement?', MADE],
    ['Between whom was the contract concluded?', MADE],
    ['When was the agreement made?', MADE],
    ['What is the effective date of this contract?', MADE],
    ['How long does this agreement last?', TERM],
    ['Until when does it run?', TERM],
    ['What is the term?', TERM],
    ['Which law governs the contract?', LAW],
    ['What is the governing law?', LAW],
  ])('is answered first by the sentence with the value: %s', (question, sentence) => {
    const [first = ''] = answer(question, AGREEMENT).split('\n\n');
    expect(first).toContain(sentence);
  });

  it('quotes every party, each in its own line', () => {
    const text =
      'Mietvertrag\n\nzwischen\n\nLinden Immobilien GmbH\n\n– Vermieter –\n\nund\n\nBirgit Sommer\n\n– Mieterin –\n\nDie Laufzeit beträgt zwei Jahre.';
    const quoted = answer('Wer sind die Vertragsparteien?', text);
    expect(quoted).toContain('Linden Immobilien GmbH');
    expect(quoted).toContain('Birgit Sommer');
  });

  it.each([
    ['Welches Recht gilt?', 'Es gilt deutsches Recht.'],
    ['Quelle loi régit le contrat ?', 'Le présent contrat est soumis au droit français.'],
    ['¿Qué ley rige el contrato?', 'Este contrato se rige por la ley española.'],
    ['Quale legge regola il contratto?', 'Il presente contratto è disciplinato dalla legge italiana.'],
  ])('may be in another language: %s', (question, sentence) => {
    const title = 'Vertrag, contrat, contrato, contratto';
    const filler = 'Le contrat, el contrato, il contratto, der Vertrag: Recht, loi, ley, legge.';
    const [first = ''] = answer(question, [title, filler, sentence, filler].join('\n\n')).split('\n\n');
    expect(first).toContain(sentence);
  });

  it.each([
    ['How long is the notice period?', NOTICE],
    ['What rights does a party have under this agreement?', 'rights of a party'],
  ])('is not one about its labelled values: %s', (question, sentence) => {
    const quoted = answer(question, AGREEMENT);
    expect(quoted).toContain(sentence);
    expect(quoted).not.toContain(TERM);
  });
});
