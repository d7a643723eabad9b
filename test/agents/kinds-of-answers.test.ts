/** The keyless model answers with what is asked for: the amount or the day of a bill, both, or that no row says it. */
import { afterAll, describe, expect, it } from 'vitest';
import { openAgent } from './setup.ts';

const BILL = `Havblik Energi ApS
Kystvej 4, 9000 Aalborg

Invoice no. 2026-118
Invoice date: 2026-11-03
Customer: Fjord Bakery

Electricity October 2026   DKK 400.00
VAT 25 %                   DKK 100.00
Total incl. VAT DKK 500.00

Payment due: 2026-11-30
Please pay to account 1234-567890.
`;
const ORDERS = `Bestellung;Datum;Kunde;Artikel;Menge;Preis
B-1001;03.02.2026;Nordlicht GmbH;Lampe;12;1.234,50
B-1002;14.02.2026;Seestern AG;Kabel;40;89,90
B-1003;21.03.2026;Nordlicht GmbH;Kabel;10;22,48
B-1004;02.04.2026;Bergmann KG;Lampe;3;308,63
`;

const at = openAgent();
afterAll(() => at.close());
const ask = async (prompt: string, name: string, text: string): Promise<string> => {
  const { text: answer = '' } = await at.run({ prompt, fileIds: [await at.storeText(name, text)] });
  return answer;
};

describe('quotes the amount of a bill, and not the day of its payment', () => {
  it.each([
    'What amount is due on the invoice?',
    'How much do I have to pay?',
    'Welcher Betrag ist fällig?',
    'Quel est le montant à payer ?',
    '¿Cuál es el importe a pagar?',
    "Qual è l'importo da pagare?",
  ])('%s', async (question) => {
    const answer = await ask(question, 'bill.txt', BILL);
    expect(answer).toMatch(/^> Total incl\. VAT DKK 500\.00 \[1\]$/m);
    expect(answer).not.toContain('2026-11-30');
    expect(answer).not.toContain('No passage');
  });
});

describe('answers both parts of a question', () => {
  it.each([
    'When is the invoice due and what is the total?',
    'What is the total and when is it due?',
    'Wann ist die Rechnung fällig und wie hoch ist der Betrag?',
    'Quand la facture est-elle due et quel est le total ?',
    '¿Cuándo vence la factura y cuál es el total?',
    'Quando scade la fattura e qual è il totale?',
  ])('%s', async (question) => {
    const answer = await ask(question, 'bill.txt', BILL);
    expect(answer).toMatch(/^> Total incl\. VAT DKK 500\.00 \[1\]$/m);
    expect(answer).toMatch(/^> Payment due: 2026-11-30 \[1\]$/m);
    expect(answer).not.toContain('No passage');
  });

  it('and leaves to the search what has no label', async () => {
    const answer = await ask('What is the total and who is the customer?', 'bill.txt', BILL);
    expect(answer).toContain('> Total incl. VAT DKK 500.00');
    expect(answer).toContain('> Customer: Fjord Bakery');
  });
});

it('takes the price of one thing for no total', async () => {
  expect(await ask('How much is the electricity in total?', 'bill.txt', BILL)).toContain('Electricity October 2026');
  expect(await ask('How much VAT is charged?', 'bill.txt', BILL)).toMatch(/^> VAT 25 % DKK 100\.00 \[1\]$/m);
});

describe('says that no row tells what is asked about a name', () => {
  it.each([
    'Who is the CEO of Nordlicht?',
    'Wer ist der Geschäftsführer von Seestern?',
    'What is the address of Bergmann?',
    'Qui est le directeur de Nordlicht ?',
    '¿Quién es el director de Seestern?',
    'Chi è il direttore di Bergmann?',
  ])('%s', async (question) => {
    const answer = await ask(question, 'orders.csv', ORDERS);
    expect(answer).toContain('The attached documents do not seem to say anything about this.');
    expect(answer).not.toMatch(/^>/m);
  });

  it('and still finds the cell of a row that is named', async () => {
    expect(await ask('Who is the customer of order B-1002?', 'orders.csv', ORDERS)).toContain('Seestern AG');
    expect(await ask('What is the price of order B-1004?', 'orders.csv', ORDERS)).toContain('308,63');
  });

  it('and warns where prose names no such person', async () => {
    const answer = await ask('Who is the CEO of Havblik?', 'bill.txt', BILL);
    expect(answer).toContain('No passage answers this clearly');
  });
});
