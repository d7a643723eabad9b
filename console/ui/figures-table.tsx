/** The figures of a drawing, for whoever reads rather than looks. */
import type { ComponentChildren } from 'preact';
import { count } from '../format.ts';
import { Scroll } from './scroll.tsx';

type Row = { name: string; values: readonly (number | null)[] };
type Props = { label: string; head: ComponentChildren; labels: readonly string[]; series: readonly Row[] };

const figure = (value: number | null | undefined): string =>
  value === null || value === undefined ? '—' : count(value);

export const FiguresTable = ({ label, head, labels, series }: Props) => (
  <Scroll label={label}>
    <table>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((at, index) => (
          <tr key={at}>
            <th scope="row">{at}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{figure(values[index])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);
