import solid from 'eslint-plugin-solid/configs/typescript';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'src/gen'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Text goes in as text; sanitised fragments come from render/sanitize.' },
        { property: 'outerHTML', message: 'Text goes in as text; sanitised fragments come from render/sanitize.' },
      ],
      eqeqeq: ['error', 'always'],
    },
  },
  { files: ['**/*.tsx'], ...solid },
  { files: ['tests/**'], rules: { 'max-lines': 'off' } },
);
