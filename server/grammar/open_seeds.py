"""Seeds of the open classes: everyday words whose class the frequencies alone would miss or confuse.

A word that is not here is still classified, by `morphology`.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


KIN = _set("ibu bapak ayah mama papa kakak adik kakek nenek paman bibi tante om mbak mas bunda abang oma opa mami papi")
# Kin words that name a relation and are never an address.
RELATIONS = _set(
    "orang_tua anak suami istri teman_dengar saudara sepupu keponakan cucu keluarga pacar menantu mertua teman sahabat"
)
# Said of oneself ("dia guru"): after a pronoun they are what it is, not what it has.
PEOPLE = _set(
    "orang orang_dengar guru murid siswa mahasiswa dokter polisi perawat tentara pacar laki_laki "
    "perempuan wanita pria cewek cowok bayi remaja dewasa dosen sopir supir petani nelayan tukang "
    "juru_bahasa penerjemah presiden artis atlet koki karyawan pegawai manajer bos tetangga tamu "
    "kepala_sekolah ustaz pastor pendeta hakim jaksa pengacara warga masyarakat juara ketua direktur "
    "sekretaris kasir satpam pilot programmer insinyur"
)
ANIMALS = _set(
    "kucing anjing burung ikan ular kambing sapi ayam bebek kuda gajah harimau monyet tikus kelinci singa "
    "kerbau nyamuk semut lebah katak buaya kura_kura cicak kupu_kupu babi domba"
)
PLACES = _set(
    "rumah toko pasar sekolah kantor kampus rumah_sakit kamar kamar_mandi dapur toilet wc bank bandara "
    "stasiun terminal halte jalan masjid gereja pura vihara kota desa kampung pantai gunung hutan sungai "
    "laut taman kebun sawah warung restoran rumah_makan kafe kantin hotel mal mall supermarket pabrik "
    "perpustakaan museum bioskop lapangan puskesmas klinik apotek apotik salon bengkel kelas ruang gedung "
    "jalan_raya jembatan pelabuhan penjara universitas kolam kolam_renang luar_negeri luar_kota slb sd "
    "smp sma smk tk pos kantor_pos kantor_polisi kebun_binatang alun_alun stadion lantai_atas teras "
    "garasi gudang asrama kos kost minimarket apartemen tempat monas danau pulau negara "
    "provinsi planet"
)
PROPER_PLACES = _set(
    "indonesia jakarta bandung yogyakarta jogja solo surabaya semarang medan makassar palembang denpasar "
    "bali lombok malang bogor depok bekasi tangerang cirebon padang pekanbaru batam jambi bengkulu "
    "lampung banten aceh manado ambon papua jayapura kupang mataram pontianak banjarmasin samarinda "
    "balikpapan palangkaraya kendari palu gorontalo ternate jawa sumatra sumatera kalimantan sulawesi "
    "maluku flores madura sunda cimahi garut tasikmalaya sukabumi purwokerto tegal magelang klaten sleman "
    "bantul kediri jember banyuwangi madiun salatiga borobudur jepang korea cina tiongkok singapura "
    "malaysia thailand vietnam filipina india arab mekah amerika inggris belanda jerman prancis perancis "
    "italia spanyol australia rusia mesir turki brasil eropa asia afrika london tokyo paris sydney "
    "hongkong taiwan kanada myanmar brunei"
)
OTHER_PROPER = _set(
    "islam kristen katolik hindu buddha tuhan allah natal lebaran idulfitri ramadan paskah nyepi "
    "pancasila google facebook instagram youtube tuli budi andi siti rina dewi agus joko rudi ani sari "
    "dian eko wati ahmad muhammad azka whatsapp tiktok"
)
ACRONYMS = _set("ktp sim tv hp pr slb sd smp sma smk tk wc ac wa bpjs usb cd bisindo sibi gerkatin jbi sms pns ppt atm")

# People one goes to as to a place: "pergi ke dokter".
VISITED = _set("dokter bidan dukun psikolog tukang_cukur")
# What animals do themselves: "kucing saya makan" is my cat eating, "ikan saya beli" a fish I bought.
ANIMAL_DEEDS = _set("makan minum gigit kejar cakar jilat sengat serang rusak lihat dengar cium")
# Places somebody calls his own; the others are where things happen.
OWN_PLACES = _set(
    "rumah kamar sekolah kantor kampus kelas desa kota kampung kebun sawah tempat toko warung dapur "
    "garasi taman kos kost asrama negara gereja masjid"
)

# Verbs of the root form ("kata kerja aus"): they take no prefix in everyday speech.
BARE_VERBS = _set(
    "makan minum tidur pergi datang pulang duduk bangun mandi suka tahu lupa ingat jatuh masuk keluar "
    "naik turun tinggal lahir mati hidup pindah kembali tiba lulus menang kalah mulai selesai percaya "
    "kenal setuju punya ada bilang ikut habis cinta rindu benci minta lewat mundur maju mampir terbang "
    "tenggelam tumbuh pecah muncul hadir sampai gagal berhasil kawin hamil sembuh putus muntah batuk "
    "pingsan mengerti paham gosok_gigi senyum terjadi terlambat tertawa tersenyum bangkit berangkat "
    "menangis singgah pamit absen mudik salah libur buang_air permisi kira jadi kabur jalan_jalan "
    "ulang_tahun ngobrol tahan percuma wisuda magang les"
)
# Of those, the ones that take an object directly.
BARE_TRANSITIVES = _set(
    "makan minum suka tahu lupa ingat punya cinta rindu benci minta naik ikut kenal mulai bilang ada"
)
# Where to, and where: they decide between "ke" and "di" before a place.
MOTIONS = _set(
    "pergi datang pulang pindah kembali jalan lari naik terbang berangkat mampir lewat bawa kirim antar "
    "ajak masuk turun kabur singgah mudik mundur maju sepeda jalan_jalan ikut belok"
)
ARRIVALS = _set("sampai tiba turun")
# Places these verbs take with no preposition: "masuk sekolah", "naik gunung".
BARE_PLACES = {
    "masuk": _set("sekolah kuliah kelas kerja kampus rumah_sakit universitas sd smp sma smk tk"),
    "naik": _set("gunung kelas bus kereta"),
    "turun": _set("gunung"),
    "lulus": _set("sekolah kuliah universitas sd smp sma smk slb tk"),
    "lewat": PLACES,
    "ikut": _set("kelas"),
}
# Kinds of things that are named after a place: "bahasa Inggris", "masakan Padang".
OF_PLACES = _set("bahasa orang makanan masakan lagu film kota anak budaya bumbu soto sate mi")
# Ways of cooking: behind a food they name the dish ("ikan goreng").
COOKINGS = _set("goreng rebus bakar panggang kukus tumis")
# Done to things, never to people: a pronoun beside them is the doer. Their object may also stay unsaid.
THING_VERBS = _set(
    "makan minum baca tulis masak beli jual cuci pakai gambar potong goreng setrika sapu pel nyanyi tari "
    "bayar belajar jahit kunci bangun ketik isi simpan hapus"
)
# Said to or done for somebody.
SAYINGS = _set("tanya bicara cerita bohong janji bilang kata lapor minta_maaf terima_kasih marah sabar sopan hormat")
WITH_VERBS = _set("bicara main temu tengkar kelahi nikah pacar ngobrol cerai kencan kumpul canda pisah kawin")
# What follows them is told or thought: no new sentence begins there.
REPORTS = _set("kira tahu bilang kata pikir harap percaya ingat lupa yakin rasa dengar lihat melihat harus minta suruh")
GIVINGS = _set(
    "titip sumbang kasih beri kirim ajar jual bagi bagikan tunjuk tawar pinjamkan berikan serah antar kembali jelas"
)
CHOOSINGS = _set("pilih suka mau ambil")

ADJECTIVES = _set(
    "besar kecil tinggi pendek rendah panjang jelek bagus cantik ganteng tampan baik buruk mahal murah "
    "jauh dekat kotor bersih panas dingin hangat lapar haus lelah capek sakit sehat senang sedih marah "
    "takut bingung sabar malas rajin pintar bodoh cerdas cepat lambat baru lama tua muda enak lezat manis "
    "pahit pedas asin asam tawar hilang rusak penuh kosong hujan ramai sepi sunyi sibuk kaya miskin kuat "
    "lemah merah putih hitam hijau biru kuning cokelat coklat ungu oranye abu_abu lucu malu ramah jujur "
    "bosan ngantuk mengantuk kenyang tuli gemuk kurus sulit susah mudah gampang penting benar betul aman "
    "bahaya berbahaya bahagia gembira kecewa kaget kesal cemas khawatir gugup bangga iri puas heran yakin "
    "ragu basah kering gelap terang jelas berat ringan tebal tipis lebar sempit keras lunak tajam tumpul "
    "rapi berantakan sopan nakal galak sombong licik pelit bisu buta demam flu pilek pusing mual luka "
    "wangi bau segar busuk matang mentah sama beda berbeda lengkap kurang cukup banyak sedikit sendiri "
    "gila hebat keren menarik terkenal populer modern kuno indah jernih macet banjir mendung cerah dalam "
    "lurus bulat pas cocok tenang ribut berisik lancar siap gratis batal jomblo rugi untung tepat parah "
    "asyik asik seru pelan gagap panik serius santai bebas kompak rukun damai stres manja mandiri kreatif "
    "aktif terlambat telat mampet bocor patah mogok gendut langsing jangkung kriting keriting botak "
    "tampak sejuk gersang kental encer cair beku hambar gosong renyah empuk amis harum mewah sederhana "
    "unik aneh ajaib misterius seram ngeri ganas jinak liar buas dewasa polos lugu cerewet pendiam "
    "periang egois setia curang adil kejam kasar halus licin kusut kumal dekil kinclong kilat darurat "
    "resmi umum khusus rahasia tertutup terbuka kecanduan mabuk hamil sekarat selamat terkejut ragu_ragu "
    "hati_hati buru_buru tergesa_gesa pura_pura putus_asa sakit_hati patah_hati rendah_hati baik_hati "
    "murah_hati keras_kepala besar_kepala"
)
# Feelings toward somebody or something: their object keeps no suffix ("takut ular").
FEELINGS = _set(
    "takut senang sedih sakit malu bosan bangga rindu kecewa malas pintar sibuk lapar yakin sama puas iri "
    "kesal marah sabar bingung lelah capek haus heran khawatir bahagia siap cocok"
)  # fmt: skip

# What everything has: after a topic they open the comment ("buku ini harga berapa").
ATTRIBUTES = _set(
    "nama harga umur usia warna nomor alamat ukuran rasa berat jumlah arti judul cara hobi pekerjaan "
    "kerja_sama cita_cita agama gaji bentuk bau isi merek makna tanggal_lahir suku"
)
# Adjectives that name a measure when asked "berapa".
MEASURES = _set("tinggi berat panjang lebar jauh lama luas dalam besar")
# Nouns although a verb can be made of them.
NOUNS = _set(
    "air kopi teh nasi uang buku surat hadiah hari jam foto obat warna nama harga umur mata kepala rambut "
    "badan bahasa film musik bola rumah tangan kaki gigi perut hidung mulut telinga kuliah pelajaran "
    "tugas ujian pesan video kabar cuaca kunci gambar sapu kereta bus mobil motor sepeda pesawat kapal "
    "rokok listrik internet kue pajak hati kata arti waktu acara rapat berita kerja_rumah isyarat "
    "bahasa_isyarat huruf rasa angka meja kursi baju celana tas sepatu topi jaket lampu pintu jendela "
    "roti susu gula garam sayur buah apel jeruk pisang mangga telur daging ayam soto bakso mi mie es_krim "
    "gelas piring sendok garpu pisau alat suara sampah bunga pohon nilai kertas pensil pulpen laptop "
    "komputer handphone ponsel hp tv televisi radio tiket paspor dompet payung"
)
# Seeking, having or entering them, work and play are things, not deeds.
THING_TAKERS = _set("cari dapat punya minta masuk butuh ada pulang selesai tentang")
# Verbs whose object can be a place: "membeli rumah", "menyapu kamar".
PLACE_VERBS = _set("beli jual bayar bangun sapu pel kunci gambar")
# Their object stays bare: "bermain bola", "berbicara bahasa".
BARE_OBJECTS = _set("main jalan lari nyanyi belanja bicara libur usaha temu")
# "dekat sekolah", "takut hutan": the place is not where it happens.
BARE_BEFORE_PLACES = _set("dekat takut bangga suka penuh sama bersih kotor rusak")
# Beside another adjective they grade or time it and are no second quality.
ADVERBIALS = _set(
    "baru lama tua muda parah terang gelap sendiri sama cepat lambat terlambat kurang cukup banyak "
    "sedikit benar salah jelas malas takut siap pelan hujan sakit"
)
