/** What a new subscription or scheduled payment is to be paid from: one line, for it is seldom changed. */
import { useSavedCardsQuery } from '../profile/saved-cards.js';
import { Picker } from '../../shared/ui/Picker.js';
import { sourceRows, type SourceField } from './source.js';

interface SourceChoiceProps {
  readonly value: SourceField;
  readonly onChange: (source: SourceField) => void;
  /** Where its code cannot be loaded the usual source stays. */
  readonly onClose: () => void;
}

export default function SourceChoice({ value, onChange }: SourceChoiceProps) {
  const rows = sourceRows(useSavedCardsQuery().data ?? []).map(({ value: each, title, detail }) => ({
    value: each,
    label: detail === undefined ? title : `${title}, ${detail.charAt(0).toLowerCase()}${detail.slice(1)}`,
  }));
  return <Picker label="Paid from" rows={rows} value={value} onChange={onChange} />;
}
