import './search.css';
import { Search as SearchIcon, X } from 'lucide-react';
import { IconButton } from './button.tsx';

/** Search input. Escape clears it. */
export function Search({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <div className="field-box search">
      <SearchIcon size={15} aria-hidden />
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
