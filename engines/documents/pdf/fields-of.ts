/** What was filled into the form fields of a page: it is no text of the page. */
import type { PdfPage } from './open-pdf.ts';

type Annotation = { fieldName?: unknown; fieldValue?: unknown; fieldType?: unknown };

export async function fieldsOf(page: PdfPage): Promise<string[]> {
  const annotations = (await page.getAnnotations()) as Annotation[];
  return annotations.flatMap(({ fieldName, fieldValue, fieldType }) => {
    const value = [fieldValue].flat().filter((one) => typeof one === 'string' && one.trim() !== '');
    const isText = fieldType === 'Tx' || fieldType === 'Ch';
    return isText && value.length > 0 ? [`${fieldName ?? 'field'}: ${value.join(', ')}`] : [];
  });
}
