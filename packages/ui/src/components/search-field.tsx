import './search-field.css';
import { Search, X } from 'lucide-react';
import { IconButton } from './button.tsx';

interface SearchFieldProps {
  /** What the search finds, such as `Search by name or label`. */
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A search box. Escape and a button clear it. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <div className="field-box search">
      <Search size={15} aria-hidden />
      <input
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
      />
      {value !== '' && <IconButton icon={X} label="Clear search" className="in-field" onClick={() => onChange('')} />}
    </div>
  );
}
