"""Closed word classes of Indonesian: they are small, so they are written out.

Keys are glosses in lower case with `_` between the words of one gloss; values are the written form. Open
classes (verbs, adjectives, nouns) are not listed here: `morphology` reads them from word frequencies.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _same(words: str) -> dict[str, str]:
    """Words that are written as they are signed (`_` becomes a space)."""
    return {word: word.replace("_", " ") for word in words.split()}


# "Anda" and "saya" keep the signer's own choice: the register is not ours to change.
PRONOUNS = _same("saya aku kamu kau dia ia kita kami kalian mereka beliau") | {
    "anda": "Anda",
    "gue": "aku",
    "gua": "aku",
    "elu": "kamu",
    "lu": "kamu",
    "km": "kamu",
}
PERSONS = {
    **dict.fromkeys(("saya", "aku", "kami", "kita"), 1),
    **dict.fromkeys(("kamu", "kau", "anda", "kalian"), 2),
    **dict.fromkeys(("dia", "ia", "beliau", "mereka"), 3),
}

QUESTIONS = _same("apa siapa mana kapan kenapa mengapa bagaimana berapa di_mana ke_mana dari_mana apakah") | {
    "dimana": "di mana",
    "kemana": "ke mana",
    "darimana": "dari mana",
    "gimana": "bagaimana",
    "apa_saja": "apa saja",
    "siapa_saja": "siapa saja",
    "untuk_apa": "untuk apa",
    "sejak_kapan": "sejak kapan",
    "yang_mana": "yang mana",
    "jam_berapa": "jam berapa",
}

NEGATIONS = {
    **dict.fromkeys(("tidak", "gak", "nggak", "ngga", "enggak", "ga", "tak", "ndak", "kagak"), "tidak"),
    "bukan": "bukan",
    "belum": "belum",
    "jangan": "jangan",
    "tanpa": "tanpa",
    "blm": "belum",
}
# Words that belong before the predicate in Indonesian, wherever they were signed.
ASPECTS = _same("sudah telah sedang akan pernah masih baru_saja hampir selalu sering jarang kadang_kadang tetap") | {
    "udah": "sudah",
    "udh": "sudah",
    "kadang": "kadang",
}
MODALS = _same("mau bisa harus boleh ingin perlu dapat mampu wajib") | {"pengen": "ingin", "pingin": "ingin"}

TIMES = _same(
    "kemarin besok lusa tadi nanti sekarang dulu pagi siang sore malam hari_ini malam_ini pagi_ini siang_ini "
    "sore_ini tadi_pagi tadi_siang tadi_sore tadi_malam sehari seminggu sebulan setahun sejam semalam "
    "besok_pagi besok_siang besok_sore besok_malam nanti_malam nanti_siang nanti_sore kemarin_malam "
    "kemarin_sore kemarin_pagi kemarin_lusa minggu_lalu minggu_depan minggu_ini bulan_lalu bulan_depan "
    "bulan_ini tahun_lalu tahun_depan tahun_ini setiap_hari tiap_hari setiap_pagi setiap_malam setiap_minggu "
    "subuh tengah_malam"
)
DAYS = {day: day.capitalize() for day in _set("senin selasa rabu kamis jumat sabtu")}
MONTHS = {
    month: month.capitalize()
    for month in _set("januari februari maret april mei juni juli agustus september oktober november desember")
}
TIME_UNITS = _set("detik menit jam hari minggu bulan tahun abad")
# What goods are counted in: they stay behind the number ("beras satu kilo").
UNITS = _set("kilo liter meter gram gelas piring botol lembar ekor buah orang potong bungkus kali rupiah")
# "minggu depan", "dua hari lalu": what makes a unit of time a point in time.
TIME_POINTS = _set("depan lalu ini itu kemarin besok")

NUMBERS = _same(
    "nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh ratus ribu juta "
    "miliar seratus seribu sejuta setengah"
)
QUANTIFIERS = _same("banyak semua beberapa setiap tiap sedikit seluruh para kedua puluhan ratusan ribuan jutaan")
# After these the number is a label and stays behind: "jam sembilan", "kelas tiga".
LABELS = _set(
    "jam pukul kelas nomor tanggal tahun lantai umur usia harga halaman bab ukuran juz semester nilai "
    "tinggi berat panjang lebar jauh luas suhu skor"
)

DEMONSTRATIVES = _same("ini itu tersebut")
HERES = _same("sana sini situ")
PREPOSITIONS = _same(
    "di ke dari untuk dengan kepada pada dalam tentang bagi oleh sejak hingga antara seperti selama tanpa_henti"
) | {
    "kayak": "seperti",
    "bersama": "bersama",
    "sama": "sama",
    "di_dalam": "di dalam",
    "di_luar": "di luar",
    "di_atas": "di atas",
    "di_bawah": "di bawah",
    "di_depan": "di depan",
    "di_belakang": "di belakang",
    "di_samping": "di samping",
}
# Sides of a thing: "MEJA ATAS", "ATAS MEJA" are places.
SIDES = _same("atas bawah dalam luar depan belakang samping sebelah dekat")

# Conjunctions between clauses; True where a comma stands before them.
CONJUNCTIONS = {
    "tapi": True,
    "tetapi": True,
    "namun": True,
    "sedangkan": True,
    "lalu": True,
    "kemudian": True,
    "terus": True,
    "padahal": True,
    "melainkan": True,
    "karena": False,
    "kalau": False,
    "jika": False,
    "bila": False,
    "ketika": False,
    "saat": False,
    "waktu": False,
    "sampai": False,
    "sehingga": False,
    "supaya": False,
    "agar": False,
    "sebelum": False,
    "sesudah": False,
    "setelah": False,
    "sambil": False,
    "walaupun": False,
    "meskipun": False,
    "bahwa": False,
    "sejak": False,
    "soalnya": False,
    "jadi": True,
    "dan": False,
    "atau": False,
    "yang": False,
}
# Opening one of these, a clause is followed by a comma.
SUBORDINATORS = _set(
    "karena kalau jika bila ketika saat waktu sebelum sesudah setelah walaupun meskipun supaya agar sejak"
)

DEGREES_BEFORE = _same("sangat terlalu lebih paling agak cukup kurang makin semakin amat")
DEGREES_AFTER = _same("sekali banget") | {"bgt": "banget"}
PARTICLES = _same("saja juga dong lah kok sih ya pun lagi hanya cuma") | {"aja": "saja"}
# An order or a request: the verb behind them stands without a prefix.
REQUESTS = _same("tolong ayo mari silakan mohon coba harap jangan_lupa") | {
    "silahkan": "silakan",
    "yuk": "yuk",
}

# Said on their own, with a comma to what follows.
GREETINGS = _same(
    "halo hai selamat_pagi selamat_siang selamat_sore selamat_malam selamat_datang selamat_jalan "
    "selamat_tinggal selamat_tidur selamat_makan selamat_ulang_tahun selamat_hari_raya selamat "
    "terima_kasih maaf permisi iya sampai_jumpa sampai_ketemu tidak_apa_apa sama_sama oke baiklah "
    "assalamualaikum"
) | {
    "hallo": "halo",
    "makasih": "terima kasih",
    "ok": "oke",
    "gpp": "tidak apa-apa",
    "tidak_apa_apa": "tidak apa-apa",
    "gak_apa_apa": "tidak apa-apa",
    "sama_sama": "sama-sama",
    "kembali_kasih": "kembali kasih",
}

# Words that are signed apart and written as one gloss; longest first.
COMPOUNDS = {
    ("selamat", word): f"selamat_{word}"
    for word in _set("pagi siang sore malam datang jalan tinggal tidur makan ulang_tahun")
} | {
    ("terima", "kasih"): "terima_kasih",
    ("apa", "kabar"): "apa_kabar",
    ("sampai", "jumpa"): "sampai_jumpa",
    ("orang", "tua"): "orang_tua",
    ("rumah", "sakit"): "rumah_sakit",
    ("hari", "ini"): "hari_ini",
    ("di", "mana"): "di_mana",
    ("ke", "mana"): "ke_mana",
    ("dari", "mana"): "dari_mana",
    ("ulang", "tahun"): "ulang_tahun",
    ("kamar", "mandi"): "kamar_mandi",
    ("tidak", "apa_apa"): "tidak_apa_apa",
    ("kadang", "kadang"): "kadang_kadang",
    ("tanda", "tangan"): "tanda_tangan",
    ("yang", "mana"): "yang_mana",
    ("gak", "apa_apa"): "tidak_apa_apa",
    ("orang", "dengar"): "orang_dengar",
    ("teman", "dengar"): "teman_dengar",
    ("untuk", "apa"): "untuk_apa",
    ("jangan", "lupa"): "jangan_lupa",
}

# Everyday forms whose meaning is fixed; the written form is the standard one.
INFORMAL = {
    "kasih": "memberi",
    "tapi": "tetapi",
    "cewek": "cewek",
    "cowok": "cowok",
    "ortu": "orang tua",
    "bikin": "membuat",
    "ngasih": "memberi",
    "ketemu": "bertemu",
    "ngomong": "berbicara",
    "kerjain": "mengerjakan",
    "bilang": "bilang",
    "nonton": "menonton",
    "omong": "berbicara",
    "dapet": "dapat",
    "cape": "capek",
    "laper": "lapar",
    "temen": "teman",
    "kasi": "memberi",
    "ngerti": "mengerti",
    "jalan_jalan": "jalan-jalan",
    # Dengar (hearing) and Tuli are names of peoples and take a capital.
    "orang_dengar": "orang Dengar",
    "teman_dengar": "teman Dengar",
}
