/** Questions about the labelled values of a bill or a contract, answered by the line or the sentence that has the value. */
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

  it('is answered with every party, each in its own line', () => {
    const text =
      'Mietvertrag\n\nzwischen\n\nLinden Immobilien GmbH\n\n– Vermieter –\n\nund\n\nBirgit Sommer\n\n– Mieterin –\n\nDie Laufzeit beträgt zwei Jahre.';
    const quoted = answer('Wer sind die Vertragsparteien?', text);
    expect(quoted).toContain('Linden Immobilien GmbH');
    expect(quoted).toContain('Birgit Sommer');
  });

  it.each([
    ['Welches Recht gilt?', 'Es gilt deutsches Recht.'],
    ['Nach dem Recht welches Landes richtet sich der Vertrag?', 'Es gilt deutsches Recht.'],
    ['Welchem Recht unterliegt der Vertrag?', 'Es gilt deutsches Recht.'],
    ['Quelle loi régit le contrat ?', 'Le présent contrat est soumis au droit français.'],
    ['¿Qué ley rige el contrato?', 'Este contrato se rige por la ley española.'],
    ['Quale legge regola il contratto?', 'Il presente contratto è disciplinato dalla legge italiana.'],
  ])('is answered in another language, too: %s', (question, sentence) => {
    const title = 'Vertrag, contrat, contrato, contratto';
    const filler = 'Le contrat, el contrato, il contratto, der Vertrag: Recht, loi, ley, legge.';
    const [first = ''] = answer(question, [title, filler, sentence, filler].join('\n\n')).split('\n\n');
    expect(first).toContain(sentence);
  });

  it.each([
    ['How long is the notice period?', NOTICE],
    ['What rights does a party have under this agreement?', 'rights of a party'],
  ])('is not answered by its labelled values: %s', (question, sentence) => {
    const quoted = answer(question, AGREEMENT);
    expect(quoted).toContain(sentence);
    expect(quoted).not.toContain(TERM);
  });
});

const BILL = `Hafenbäckerei Köhler GmbH
Speicherstraße 4
20457 Hamburg

# Rechnung

| Rechnungsnummer | HK-2291 |
| --- | --- |
| Rechnungsdatum | 14.03.2027 |

Rechnungsempfänger:
Lindgren Catering AB

| Artikel | Menge | Preis |
| --- | --- | --- |
| Roggenbrot | 10 | 35,00 |

| Nettobetrag | 35,00 EUR |
| --- | --- |
| MwSt. 7 % | 2,45 EUR |
| Gesamtbetrag | 37,45 EUR |

Zahlbar bis 28.03.2027 auf IBAN DE89 3704 0044 0532 0130 00. USt-IdNr. DE136695976
`;

describe('a question about a bill in another language', () => {
  it.each([
    ['What is the invoice number?', 'HK-2291'],
    ['Which number does this invoice have?', 'HK-2291'],
    ['When was the invoice issued?', '14.03.2027'],
    ['What is the date of this bill?', '14.03.2027'],
    ['By when do I have to pay?', '28.03.2027'],
    ['How much do I have to pay?', '37,45'],
    ['What is the net amount?', '| 35,00 EUR'],
    ['How much VAT is included?', '2,45'],
    ['In which currency is this invoice?', 'EUR'],
    ['To which account must I pay?', 'DE89 3704 0044 0532 0130 00'],
    ["What is the seller's VAT number?", 'DE136695976'],
    ['Which company issued this invoice?', 'Hafenbäckerei Köhler'],
    ['Who is the customer?', 'Lindgren Catering'],
    ['What is the address of the seller?', 'Speicherstraße 4'],
  ])('is answered first by the line with the value: %s', (question, value) => {
    const quoted = answer(question, BILL);
    expect(quoted.split('\n\n')[0]).toContain(value);
    expect(quoted).not.toMatch(/^No passage/);
  });

  it('is answered with the part of a long line around the value', () => {
    const before = 'Brot und Kuchen auf Vorrat. '.repeat(40);
    const quoted = answer(
      'How much is the tax?',
      `Rechnung HK-2291 ${before} Summe 35,00 EUR MwSt. 2,45 EUR Gesamt 37,45 EUR ${before}`,
    );
    expect(quoted).toContain('2,45');
    expect(quoted.length).toBeLessThan(450);
  });

  it.each([
    ['How much is the total of each customer?', 'customer'],
    ['Which account is overdue?', 'overdue'],
  ])('is not answered by a labelled value if it asks for something else: %s', (question, word) => {
    const text = `${BILL}\nThe account of the customer Berg is overdue; each customer has its total below.\n`;
    expect(answer(question, text)).toContain(word);
  });
});
