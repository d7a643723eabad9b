/** A choice that narrows or orders a list. What an address asks for is shown, though it is none of the choices. */
import { words } from '../format.ts';

type FilterProps = {
  label: string;
  value: string;
  options: string[];
  names?: Record<string, string>;
  onPick: (value: string) => void;
};

export const Filter = ({ label, value, options, names = {}, onPick }: FilterProps) => (
  <label class="filter">
    <span class="small muted">{label}</span>
    <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      {[...options, ...(options.includes(value) ? [] : [value])].map((option) => (
        <option key={option} value={option}>
          {names[option] ?? (option === '' ? 'All' : words(option))}
        </option>
      ))}
    </select>
  </label>
);
