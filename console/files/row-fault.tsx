/** What went wrong with one file, below its row. */
import { Fault } from '../ui/fault.tsx';

export const RowFault = ({ fault }: Parameters<typeof Fault>[0]) =>
  fault ? (
    <div class="upload-fault">
      <Fault fault={fault} />
    </div>
  ) : null;
