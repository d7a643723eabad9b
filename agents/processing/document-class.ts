/** The class of a document, and the labels that it is chosen from. */

import type { RecordPlan } from './record/record-plan.ts';

export type ClassLabel = { name: string; description?: string };

type Evidence = { document: number; place: string; quote: string };

export type DocumentClass = {
  /** Null without evidence, or if two labels have the same. */
  label: string | null;
  basis: Evidence[];
  reason: string;
  candidates: { label: string; basis: Evidence; reason: string }[];
};

/** Common kinds of papers, with what they are called in other languages. */
export const PAPERS: Record<string, string> = {
  invoice:
    'tax invoice|invoice number|invoice date|rechnung|rechnungsnummer|rechnungsnr|rechnungsdatum|rechnungsbetrag|abrechnung|jahresabrechnung|jahresrechnung|facture|factura|fattura|factuur|fatura',
  'credit note': 'credit memo|gutschrift|avoir|nota de crédito|nota di credito|creditnota',
  receipt: 'cash receipt|sales receipt|kassenbon|quittung|beleg|reçu|ticket de caisse|recibo|scontrino|kassabon',
  order:
    'purchase order|order confirmation|order form|bestellung|auftragsbestätigung|bon de commande|pedido|ordine|bestelling',
  quote: 'quotation|offer|price offer|angebot|kostenvoranschlag|devis|presupuesto|preventivo|offerte',
  'delivery note': 'packing slip|packing list|lieferschein|bon de livraison|albarán|documento di trasporto|pakbon',
  contract: 'agreement|lease|vertrag|mietvertrag|contrat|contrato|contratto|overeenkomst',
  'bank statement':
    'account statement|statement of account|kontoauszug|relevé de compte|extracto bancario|estratto conto|bankafschrift',
  payslip: 'pay slip|salary slip|gehaltsabrechnung|lohnabrechnung|bulletin de paie|nómina|busta paga|loonstrook',
  cv: 'curriculum vitae|resume|lebenslauf|currículum|work experience|professional experience|employment history|berufserfahrung|beruflicher werdegang|expérience professionnelle|experiencia laboral|experiencia profesional|esperienza professionale|esperienze lavorative|werkervaring',
  report: 'annual report|quarterly report|bericht|rapport|informe|relazione|verslag',
  minutes: 'minutes of meeting|meeting minutes|protokoll|compte rendu|acta|verbale|notulen',
  letter:
    'dear sir|dear madam|dear mr|dear ms|yours sincerely|yours faithfully|sehr geehrte|mit freundlichen grüßen|madame monsieur|estimado|gentile',
};

type GivenLabel = string | { name: string; description?: string | null | undefined };

/** The caller's labels; else the first enumeration of the schema; else common kinds of papers. */
export function labelsOf(
  given: readonly GivenLabel[] | null | undefined,
  record: RecordPlan | undefined,
): ClassLabel[] {
  if (given != null)
    return given.map((one) => {
      const { name, description } = typeof one === 'string' ? { name: one, description: null } : one;
      return { name, ...(description == null ? {} : { description }) };
    });
  const named = record?.fields.find(({ leaf }) => leaf.kind === 'string' && (leaf.values?.length ?? 0) > 1);
  return (named?.leaf.values?.map(String) ?? Object.keys(PAPERS)).map((name) => ({ name }));
}
