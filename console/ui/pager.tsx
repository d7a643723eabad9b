/** From one page of a list to the next. */
import { count } from '../format.ts';

type Props = {
  from?: number;
  shown: number;
  total?: number;
  before: string | undefined;
  beforeName?: string;
  after: string | undefined;
};

export function Pager({ from, shown, total, before, beforeName = 'Previous', after }: Props) {
  if (!before && !after) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span class="small muted">
        {from !== undefined && shown > 0 && `${count(from + 1)} to ${count(from + shown)}`}
        {total !== undefined && ` of ${count(total)}`}
      </span>
      <span class="actions">
        <Step href={before}>{beforeName}</Step>
        <Step href={after}>Next</Step>
      </span>
    </nav>
  );
}

const Step = ({ href, children }: { href: string | undefined; children: string }) =>
  href ? (
    <a class="button" href={href}>
      {children}
    </a>
  ) : (
    <span class="button" aria-disabled="true">
      {children}
    </span>
  );
