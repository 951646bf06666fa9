//! Reading what the trace found: by its source, or as a constant of the new code.

use super::{OPAQUE_BASE, Opaque, Output, construct};
use crate::{
    bytecode::{Const, LocalId},
    constant::code_constant,
    trace::Traced,
};
use cranelift_entity::EntityRef;
use guards::{Constant, Key, Root, Source, SourceId, Step, StrId};

impl Output<'_, '_> {
    pub(super) fn constant(&mut self, opaque: Opaque) -> Const {
        let at = self.opaque.iter().position(|known| *known == opaque).unwrap_or_else(|| {
            self.opaque.push(opaque);
            self.opaque.len() - 1
        });
        Const::Opaque(OPAQUE_BASE + at as u32)
    }

    pub(super) fn load_named(&mut self, name: &str) {
        let constant = self.constant(Opaque::Named(name.to_owned()));
        self.builder.load_const(constant);
    }

    pub(super) fn text(&self, id: StrId) -> String {
        self.t.sources.strings().get(id).map(ToString::to_string).unwrap_or_default()
    }

    /// Pushes what is at a source.
    pub(super) fn load_source(&mut self, source: SourceId) -> Traced<()> {
        if let Some(local) = self.common.loaded(source) {
            self.builder.load_local(local);
            return Ok(());
        }
        let root_or_step = self.t.sources.get(source).ok_or_else(|| construct("a value without a source"))?;
        match root_or_step {
            Source::Root(Root::Local(id)) => {
                let name = self.text(id);
                match self.kept.get(&name) {
                    Some(&kept) => self.builder.load_local(kept),
                    None => {
                        let slot = self.original.varnames.iter().position(|var| *var == name);
                        let slot = slot.ok_or_else(|| construct("a local that is not there"))?;
                        self.builder.load_local(LocalId::new(slot));
                    }
                }
            }
            Source::Root(Root::Cell(id)) => {
                let name = self.text(id);
                let slot = self.original.local_names().position(|local| local == name);
                self.builder.load_deref(LocalId::new(slot.ok_or_else(|| construct("a variable that is not there"))?));
            }
            Source::Root(Root::Global(id)) => {
                let name = self.text(id);
                self.builder.load_global(&name);
            }
            Source::Step { base, step } => {
                self.load_source(base)?;
                self.load_step(source, step)?;
                self.keep_common(source);
            }
            Source::Root(Root::Module(id)) => {
                let name = self.text(id);
                let modules = self.constant(Opaque::Named("sys.modules".to_owned()));
                self.builder.load_const(modules);
                self.builder.load_const(Const::Str(name));
                self.builder.subscript();
            }
            Source::Root(_) => return Err(construct("a value that exists only while tracing")),
        }
        Ok(())
    }

    /// Pushes what an item is looked up by.
    fn load_key(&mut self, key: Key) -> Traced<()> {
        match key {
            Key::Int(int) => self.builder.load_const(Const::Int(int)),
            Key::Str(id) => {
                let name = self.text(id);
                self.builder.load_const(Const::Str(name));
            }
            Key::Constant(id) => {
                let constant = self.t.sources.constants().get(id).cloned();
                self.load_constant(&constant.ok_or_else(|| construct("an unknown constant"))?)?;
            }
            Key::Object(source) => self.load_source(source)?,
        }
        Ok(())
    }

    pub(super) fn load_step(&mut self, source: SourceId, step: Step) -> Traced<()> {
        match step {
            Step::Attr(id) => {
                let name = self.text(id);
                self.builder.load_attr(&name);
            }
            Step::Item(key) => {
                let base = self.t.sources.get(source).and_then(Source::base);
                let owner = base.and_then(|base| self.t.objects.raw_items.get(&base).copied());
                let Some(owner) = owner else {
                    self.load_key(key)?;
                    self.builder.subscript();
                    return Ok(());
                };
                // The object's class may have put something else in the place of this method.
                let of = self.fresh("object");
                self.builder.store_local(of);
                self.call_named(&format!("{owner}.__getitem__"), 2, |out| {
                    out.builder.take_local(of);
                    out.load_key(key)
                })?;
            }
            Step::SetItem(place) => {
                let of = self.fresh("object");
                self.builder.store_local(of);
                self.call_named("builtins.next", 1, |out| {
                    out.call_named("itertools.islice", 3, |out| {
                        out.builder.take_local(of);
                        out.builder.load_const(Const::Int(i64::from(place)));
                        out.builder.load_const(Const::None);
                        Ok(())
                    })
                })?;
            }
            Step::Closure(index) | Step::Defaults(index) => {
                let closure = matches!(step, Step::Closure(_));
                self.builder.load_attr(if closure { "__closure__" } else { "__defaults__" });
                self.builder.load_const(Const::Int(i64::from(index)));
                self.builder.subscript();
                if closure {
                    self.builder.load_attr("cell_contents");
                }
            }
            Step::KwDefaults(id) => {
                let name = self.text(id);
                self.builder.load_attr("__kwdefaults__");
                self.builder.load_const(Const::Str(name));
                self.builder.subscript();
            }
            Step::Call0(id) => {
                let name = self.text(id);
                self.builder.load_method(&name);
                self.builder.call(0);
            }
            Step::Cached(id) => {
                let Some(Constant::Tuple(parts)) = self.t.sources.constants().get(id).cloned() else {
                    return Err(construct("an unknown constant"));
                };
                let [Constant::Tuple(args), Constant::Tuple(keywords)] = &parts[..] else {
                    return Err(construct("an unknown constant"));
                };
                let function = self.fresh("object");
                self.builder.store_local(function);
                self.builder.callee(|builder| builder.take_local(function));
                let mut names = Vec::new();
                for arg in args {
                    self.load_constant(arg)?;
                }
                for keyword in keywords {
                    let Constant::Tuple(pair) = keyword else { return Err(construct("an unknown constant")) };
                    let [Constant::Str(name), arg] = &pair[..] else { return Err(construct("an unknown constant")) };
                    self.load_constant(arg)?;
                    names.push(name.as_str());
                }
                let count = (args.len() + names.len()) as u32;
                match names.is_empty() {
                    true => self.builder.call(count),
                    false => self.builder.call_with_names(count, &names),
                }
            }
            Step::GenericAttr(id) => {
                let (name, of) = (self.text(id), self.fresh("object"));
                self.builder.store_local(of);
                self.call_named("builtins.object.__getattribute__", 2, |out| {
                    out.builder.take_local(of);
                    out.builder.load_const(Const::Str(name));
                    Ok(())
                })?;
            }
            Step::FromNumpy => {
                let of = self.fresh("array");
                self.builder.store_local(of);
                self.call_named("rust_inductor._numpy.to_tensor", 1, |out| {
                    out.builder.take_local(of);
                    Ok(())
                })?;
            }
            Step::Type => {
                // What is called stands below its argument.
                let of = self.fresh("object");
                self.builder.store_local(of);
                self.call_named("builtins.type", 1, |out| {
                    out.builder.take_local(of);
                    Ok(())
                })?;
            }
            _ => return Err(construct(&format!("`{}`", self.t.sources.display(source)))),
        }
        Ok(())
    }

    pub(super) fn load_constant(&mut self, constant: &Constant) -> Traced<()> {
        match (code_constant(constant), constant) {
            (Some(plain), _) => self.builder.load_const(plain),
            (None, Constant::Tuple(items)) => {
                for item in items {
                    self.load_constant(item)?;
                }
                self.builder.build_tuple(items.len() as u32);
            }
            (None, Constant::Slice(_)) => return Err(construct("a slice")),
            (None, _) => {
                let opaque = self.constant(Opaque::Constant(constant.clone()));
                self.builder.load_const(opaque);
            }
        }
        Ok(())
    }
}
